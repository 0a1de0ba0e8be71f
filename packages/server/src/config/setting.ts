/** A setting is one entry: flag, variables, file name, help, default, check and the option it maps to derive from it. */
import type { MemoirOptions } from "@memoir/core";
import type { AppOptions } from "../app.ts";

interface Entry<V> {
  /** The first that is set wins. */
  readonly variables: readonly string[];
  readonly help: string;
  /** Throws an error whose message follows the name of the setting, as in `must be a port, not "x"`. */
  readonly parse: (text: string, home: string) => V;
  /** The default of the library, shown in help; the server passes nothing on. */
  readonly libraryDefault?: string | number;
  /** Shown in help where the default is not a value, as in "no limit". */
  readonly defaultText?: string;
  /** Options of the library and of the app that the value becomes, where that takes no other setting. */
  readonly toMemoir?: (value: NoInfer<V>) => Partial<MemoirOptions>;
  readonly toApp?: (value: NoInfer<V>) => Partial<AppOptions>;
}

export interface Setting<V> extends Omit<Entry<V>, "parse" | "toMemoir" | "toApp"> {
  /** As a user would write it; undefined where the library decides or the setting stays unset. */
  readonly default?: string;
  /** A flag without a value. */
  readonly isSwitch?: boolean;
  parse(text: string, home: string): V;
  toMemoir?(value: NonNullable<V>): Partial<MemoirOptions>;
  toApp?(value: NonNullable<V>): Partial<AppOptions>;
}

export function defineSetting<V extends {}>(entry: Entry<V> & { readonly default: string }): Setting<V>;
export function defineSetting<V extends {}>(entry: Entry<V>): Setting<V | undefined>;
export function defineSetting<V extends {}>(entry: Entry<V>): Setting<V | undefined> {
  return entry;
}

const yes = ["true", "1", "yes", "on"];
const no = ["false", "0", "no", "off"];

export const isYes = (word = "") => yes.includes(word.toLowerCase());

/** Throws at other words: a misspelt "true" must not leave a server open. */
export function parseSwitch(text: string): boolean {
  if (!isYes(text) && !no.includes(text.toLowerCase())) throw new Error(`must be true or false, not "${text}"`);
  return isYes(text);
}

export function defineSwitch(entry: Omit<Entry<boolean>, "parse">): Setting<boolean> {
  return { ...entry, default: "off", parse: parseSwitch, isSwitch: true };
}

/** What a user reads as the default, in help and in documents. */
export function describeDefault({ defaultText, libraryDefault, default: text }: Setting<unknown>): string {
  return String(defaultText ?? libraryDefault ?? (text || "none"));
}
