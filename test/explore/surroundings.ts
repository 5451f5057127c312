import type { World } from "../../provider/engine/world";
import { ModelDestinations } from "./destinations";
import type { Machine, Process } from "./machine";
import { ModelPlatform } from "./platform";
import { oneExport } from "./program";
import { PulumiEngine } from "./pulumi";
import { ModelStore } from "./store";
import type { Script, StoryContext } from "./story";

/** The models of one story, on one machine. */
export function surroundingsOf(script: Script, Store = ModelStore): (machine: Machine) => StoryContext {
  return (machine) => {
    const platform = new ModelPlatform(machine, script.platform);
    const store = new Store(machine, script.store);
    const destinations = new ModelDestinations(machine, script.destination);
    const worldOf = (process: Process) => worldOn(machine, store, process, destinations);
    const { program = oneExport, engine: habits } = script;
    const engine = new PulumiEngine(machine, platform, worldOf, program, habits);
    const other = new PulumiEngine(machine, platform, worldOf, program, habits, engine.backend, "another run");
    return { machine, platform, store, destinations, engine, other };
  };
}

/** The world of one process on this machine, with its journal in this store, or in one for each place. */
export function worldOn(
  machine: Machine,
  stores: ModelStore | ((place: string) => ModelStore),
  process: Process,
  destinations = new ModelDestinations(machine),
): World {
  return {
    clock: machine.clockOf(process),
    newId: () => machine.newId(),
    self: () => process.owner,
    parent: () => process.owner.engine,
    isRunning: (owner) => machine.seen(process, owner)?.isAlive ?? false,
    isAtWork: async (owner) => {
      const found = machine.seen(process, owner);
      return found?.isAlive === true && found.hasEngine;
    },
    journal: (place = "the journal") => {
      const store = typeof stores === "function" ? stores(place) : stores;
      return {
        place,
        isRemote: store.habits.isRemote ?? false,
        list: (prefix) => store.list(process, prefix),
        read: (name) => store.get(process, name),
        write: (name, text) => store.put(process, name, text),
        remove: (name) => store.remove(process, name),
      };
    },
    mirrors: () => destinations.libraryOf(process),
  };
}
