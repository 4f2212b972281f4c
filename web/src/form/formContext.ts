/** The context that all fields of one form share. */

import { createContext, type ReactNode, useContext } from "react";
import type { FieldProblem } from "../api/types";
import { formatPath, type Path, toPointer } from "../json/path";
import type { FormDraft } from "./draft";
import type { Schema } from "./keywords";

/** The position of a field in its form. */
export interface FieldPosition {
  path: Path;
  /** The visible label: its name, or its index in a list. */
  label: ReactNode;
  /** The accessible name, where the label is not enough. */
  accessibleName?: string;
  required: boolean;
  /** Whether it is the whole form, a property that can be unset, or an item of a list or map. */
  slot: "root" | "property" | "item";
  /** Whether it is an item of a tuple with a schema of its own, rather than one that it shares with the other items. */
  isTupleItem?: boolean;
  /** The property names of its object, in the schema's order. */
  order: readonly string[];
  depth: number;
  /** Buttons for the field at its position, such as moving it. */
  actions?: ReactNode;
}

export interface FormContextValue {
  draft: FormDraft;
  rootSchema: Schema;
  disabled: boolean;
  idPrefix: string;
  problems: readonly FieldProblem[];
  showAll: boolean;
  update(change: (draft: FormDraft) => FormDraft): void;
  /** Renders a field inside another one. */
  renderField(schema: Schema, position: FieldPosition): ReactNode;
  /** After the next render, focuses the first control of the element with this id. */
  focusAfterRender(id: string): void;
}

export const FormContext = createContext<FormContextValue | null>(null);

export function useFormContext(): FormContextValue {
  const context = useContext(FormContext);
  if (context === null) {
    throw new Error("a field is rendered outside a SchemaForm");
  }
  return context;
}

/** The id of a field's element, or of a part of it. */
export function buildId(context: FormContextValue, path: Path, part = ""): string {
  return `${context.idPrefix}${toPointer(path)}${part}`.replace(/\s/g, "~s");
}

/** The problems to show at a path, with nested ones where nested fields are not rendered. */
export function listProblemsAt(context: FormContextValue, path: Path, includeNested = false): readonly FieldProblem[] {
  const pointer = toPointer(path);
  // A duplicate key is shown while it is typed: until it is another one, the key before it is still the one that counts.
  const hasDuplicateKey = context.draft.texts[`${pointer}#key`] !== undefined;
  if (!context.showAll && !hasDuplicateKey && context.draft.touched[pointer] !== true) {
    return [];
  }
  const at = formatPath(path);
  return context.problems.filter((problem) => problem.path === at || (includeNested && isInside(problem.path, at)));
}

/** Whether a problem's path lies inside another path. */
export function isInside(path: string, position: string): boolean {
  return position === "" ? path !== "" : path.startsWith(`${position}.`) || path.startsWith(`${position}[`);
}
