/**
 * What an attempt to get out of the sandbox is. Its code returns what it got hold of, or raises, or returns nothing; the
 * frame around it says which. What lies around to be got hold of is in the arguments.
 */
import type { SandboxLanguage, SandboxResult } from "../sandbox/sandbox.ts";

/** What the attempts go for, on the machine of the server. */
export interface Loot {
  /** A word that stands in the server's environment, its database and its files, and nowhere else. */
  readonly word: string;
  readonly database: string;
  readonly file: string;
  readonly socket: string;
  readonly abstractSocket: string;
  readonly port: number;
  readonly pid: number;
}

export interface Attempt {
  readonly name: string;
  readonly code: string;
  /** How it has to end, where it does not end by being held: a pattern of the error. */
  readonly fails?: RegExp;
  /** Succeeds where there are no walls; shows that the attempt is a real one. */
  readonly isRealWithoutWalls?: boolean;
  readonly check?: (result: SandboxResult) => void;
}

const indent = (code: string, by: string) => code.trim().replaceAll(/^/gm, by);

const pythonFrame = (code: string) => `
import ctypes, os, signal, socket, subprocess, sys, time

libc = ctypes.CDLL(None, use_errno=True)

def system_call(*numbers):
    if libc.syscall(*numbers) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"

def read(path):
    with open(path, "rb") as file:
        return file.read(4_000_000).decode("latin-1")

def variables(pid):
    try:
        parts = read(f"/proc/{pid}/environ").split("\\0")
    except OSError:
        return []
    return [part for part in parts if part and not part.startswith("PWD=")]

def attempt(loot):
    def body():
${indent(code, "        ")}
    try:
        got = body()
    except BaseException as error:
        return "held: " + type(error).__name__ + ": " + str(error)
    return "BREACH: " + str(got)[:200] if got else "held: nothing"
`;

const typescriptFrame = (code: string) => `
import * as fs from "node:fs";
import * as net from "node:net";

async function attempt(loot: any): Promise<string> {
  const body = async (): Promise<unknown> => {
${indent(code, "    ")}
  };
  try {
    const got = await body();
    return got ? "BREACH: " + String(got).slice(0, 200) : "held: nothing";
  } catch (error: any) {
    return "held: " + error?.name + ": " + error?.message;
  }
}
`;

export function frameAttempt(language: SandboxLanguage, { code }: Attempt): string {
  return language === "python" ? pythonFrame(code) : typescriptFrame(code);
}
