import type { RuntimeDependencies } from "../../provider/engine/runtime";
import { loadMirrorLibrary } from "../../provider/resources/mirrorLibrary";
import type { Machine, Process } from "./machine";
import type { ModelStore } from "./store";

export function runtimeOn(machine: Machine, store: ModelStore, process: Process): RuntimeDependencies {
  return {
    clock: machine.clockOf(process),
    newId: () => machine.newId(),
    self: () => process.owner,
    parent: () => process.owner.engine,
    isRunning: (owner) => machine.seen(process, owner)?.isAlive ?? false,
    areProcessAndEngineRunning: async (owner) => {
      const found = machine.seen(process, owner);
      return found?.isAlive === true && found.hasEngine;
    },
    journal: (place = "the journal") => ({
      place,
      isRemote: store.habits.isRemote ?? false,
      list: (prefix) => store.list(process, prefix),
      read: (name) => store.get(process, name),
      write: (name, text) => store.put(process, name, text),
      remove: (name) => store.remove(process, name),
    }),
    mirrors: loadMirrorLibrary,
  };
}
