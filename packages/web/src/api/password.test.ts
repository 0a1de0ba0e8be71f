import { expect, test } from "vitest";
import { openPasswordStore } from "./password.ts";

function memoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}

test("a password is remembered until it is forgotten", () => {
  const storage = memoryStorage();
  const store = openPasswordStore(() => storage);
  expect(store.read()).toBeUndefined();
  store.write("open sesame");
  expect(store.read()).toBe("open sesame");
  store.forget();
  expect(store.read()).toBeUndefined();
  expect(storage.length).toBe(0);
});

test("a browser that blocks site data still gets a page", () => {
  const store = openPasswordStore(() => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  store.write("open sesame");
  store.forget();
  expect(store.read()).toBeUndefined();
});
