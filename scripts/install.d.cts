export const ROOT: string;
/** Makes node_modules match the lock file of a folder. Returns what went wrong, or undefined. */
export function install(folder: string, message: string): string | undefined;
export function installWorkspace(): void;
export function npmCommand(words: string[]): { command: string; words: string[]; shell: boolean };
export function withOurPrograms(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
