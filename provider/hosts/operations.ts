import type { Context, Decision, Lifecycle } from "../resources/lifecycle";
import { PartialFailure } from "../resources/lifecycle";
import { JournalError } from "../support/errors";
import type { HostContext } from "./context";
import { endWithEngine } from "./orphan";
import { noteSaved, settleSaved } from "./pendingStarts";
import { operation, takenFromJournal } from "./run";

/** What both hosts do around the calls of one lifecycle. */
export class Operations<Inputs extends object, State extends object> {
  /** By URN, what this run replaces: the engine tells it to diff, and not to the create that follows. */
  readonly #replaced = new Map<string, State>();

  constructor(private readonly lifecycle: Lifecycle<Inputs, State>) {}

  /** What was decided of the resource with this id, which the state holds. */
  decided(
    urn: string | undefined,
    id: string,
    state: State,
    { replaces }: Decision,
    journal: string | undefined,
  ): void {
    noteSaved(journal, state, id);
    if (urn !== undefined && replaces.length > 0) {
      this.#replaced.set(urn, state);
    }
  }

  /** @throws PartialFailure and others, as the lifecycle does; a partial one gives the engine the id as well. */
  create(urn: string | undefined, inputs: Inputs, context: HostContext): Promise<{ id: string; state: State }> {
    endWithEngine();
    return operation(async () => {
      try {
        const created = await this.lifecycle.create(inputs, context, this.#replaced.get(urn ?? ""));
        context.pendingStarts.handOver();
        return created;
      } catch (error) {
        if (error instanceof PartialFailure) {
          context.pendingStarts.handOver();
        }
        throw error;
      } finally {
        context.pendingStarts.end();
      }
    });
  }

  read(id: string, state: Partial<State>, context: Context, journal: string | undefined): Promise<State | undefined> {
    noteSaved(journal, state, id);
    return this.lifecycle.read(id, state, context);
  }

  update(id: string, state: State, inputs: Inputs, context: Context, journal: string | undefined): Promise<State> {
    endWithEngine();
    return operation(async () => {
      await settleSaved(journal, state, id);
      return this.lifecycle.update(id, state, inputs, context);
    });
  }

  /** @throws JournalError where a create of this run has taken up what is deleted now: the state had it all the time. */
  async delete(id: string, state: State, { warn }: Context, journal: string | undefined): Promise<void> {
    await settleSaved(journal, state, id);
    if (takenFromJournal.delete(id)) {
      throw new JournalError({
        happened: `a new one was asked for in place of ${id}, but the journal still had ${id}, and it was taken up again`,
        remedy: "run `pulumi up --replace <urn>` once more: the journal no longer has it.",
      }).withOutcome({ exists: `${id}, in the state.`, nextRun: "starts nothing by itself." });
    }
    await this.lifecycle.delete?.(id, state, warn);
  }
}
