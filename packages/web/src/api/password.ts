// The password of a server in password mode, kept for this browser tab only. Browsers that block site data throw on
// any touch of the storage; the page then works without it and asks again after a reload.

const key = "memoir.password";

export interface PasswordStore {
  read(): string | undefined;
  write(password: string): void;
  forget(): void;
}

export function openPasswordStore(openStorage: () => Storage = () => window.sessionStorage): PasswordStore {
  return {
    read: () => attempt(() => openStorage().getItem(key)) ?? undefined,
    write: (password) => attempt(() => openStorage().setItem(key, password)),
    forget: () => attempt(() => openStorage().removeItem(key)),
  };
}

function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
