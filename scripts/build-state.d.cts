export const STATE_FILE: string;
export function isBuilt(): boolean;
export function readSourceState(): string;
