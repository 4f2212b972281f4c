/** What every field of one form shares. */

import { createContext, type ReactNode, useContext } from "react";
import { dotted, type Path, pointer } from "../json/path";
import type { FormDraft } from "./draft";
import type { Schema } from "./keywords";
import type { Problem } from "./problems";

/** Where a field stands. */
export interface Place {
  path: Path;
  /** What stands before the field; its name, or its number in a list. */
  label: ReactNode;
  /** What it is called where the label alone does not say it. */
  spoken?: string;
  required: boolean;
  /** Whether it is the whole form, a field that can be unset, or an item that is there or not. */
  slot: "root" | "property" | "item";
  /** The fields of its object, in the schema's order. */
  order: readonly string[];
  depth: number;
  /** What can be done with it where it stands, such as moving it. */
  tools?: ReactNode;
}

export interface Scope {
  draft: FormDraft;
  root: Schema;
  disabled: boolean;
  idPrefix: string;
  problems: readonly Problem[];
  showAll: boolean;
  edit(change: (draft: FormDraft) => FormDraft): void;
  /** Draws a field inside another one. */
  draw(schema: Schema, place: Place): ReactNode;
  /** After the next drawing, moves the focus to the first control of the element with this id. */
  focusNext(id: string): void;
}

export const ScopeContext = createContext<Scope | null>(null);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === null) {
    throw new Error("a field stands outside of a SchemaForm");
  }
  return scope;
}

/** What a place is called in the page: the element that holds the field, and its parts. */
export function idOf(scope: Scope, path: Path, part = ""): string {
  return `${scope.idPrefix}${pointer(path)}${part}`.replace(/\s/g, "~s");
}

/** The problems to tell at a place; with those inside it where the inside is not drawn. */
export function problemsAt(scope: Scope, path: Path, inside = false): readonly Problem[] {
  if (!scope.showAll && scope.draft.left[pointer(path)] !== true) {
    return [];
  }
  const at = dotted(path);
  return scope.problems.filter((one) => one.path === at || (inside && isInside(one.path, at)));
}

/** Whether a problem's path lies inside a place. */
export function isInside(path: string, place: string): boolean {
  return place === "" ? path !== "" : path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
