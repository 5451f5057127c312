import { type Context, type Decision, type Lifecycle, PartialFailure } from "../resources/lifecycle";
import { type CreateMemory, forgetSaved } from "./memory";
import { endWithEngine } from "./orphan";

/** What both hosts do between the engine's diff of a resource and its create of it. */
export class Creations<Inputs extends object, State extends object> {
  /** By URN, what this run replaces: the engine tells it to diff, and not to the create that follows. */
  readonly #replaced = new Map<string, State>();

  constructor(private readonly lifecycle: Lifecycle<Inputs, State>) {}

  /** What was decided of the resource with this id, which the state holds. */
  decided(urn: string, id: string, state: State, { replaces }: Decision): void {
    forgetSaved(urn, id);
    if (replaces.length > 0) {
      this.#replaced.set(urn, state);
    }
  }

  /** @throws PartialFailure and others, as the lifecycle does; the engine was given the id by a partial one as well. */
  async create(
    urn: string | undefined,
    inputs: Inputs,
    context: Context & { memory: CreateMemory },
  ): Promise<{ id: string; state: State }> {
    endWithEngine();
    try {
      const created = await this.lifecycle.create(inputs, context, this.#replaced.get(urn ?? ""));
      context.memory.deliver();
      return created;
    } catch (error) {
      if (error instanceof PartialFailure) {
        context.memory.deliver();
      }
      throw error;
    }
  }
}
