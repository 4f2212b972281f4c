import { useState } from "react";

/** Which rows are expanded: all or none, with exceptions. */
export interface Expansion {
  all: boolean;
  except: ReadonlySet<number>;
  /** Increases when all rows are expanded or collapsed. */
  generation: number;
}

export const COLLAPSED: Expansion = { all: false, except: new Set(), generation: 0 };

export function isExpanded(expansion: Expansion, index: number): boolean {
  return expansion.all !== expansion.except.has(index);
}

export function toggleRow(expansion: Expansion, index: number): Expansion {
  const except = new Set(expansion.except);
  if (!except.delete(index)) except.add(index);
  return { ...expansion, except };
}

export function setAllExpanded(expansion: Expansion, all: boolean): Expansion {
  return { all, except: new Set(), generation: expansion.generation + 1 };
}

/** The expanded rows of a timeline, as state of a component. */
export function useExpandedRows() {
  const [expansion, setExpansion] = useState(COLLAPSED);
  return {
    generation: expansion.generation,
    isOpen: (index: number) => isExpanded(expansion, index),
    toggle: (index: number) => setExpansion((now) => toggleRow(now, index)),
    expandAll: () => setExpansion((now) => setAllExpanded(now, true)),
    collapseAll: () => setExpansion((now) => setAllExpanded(now, false)),
  };
}

export type ExpandedRows = ReturnType<typeof useExpandedRows>;
