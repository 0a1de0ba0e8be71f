// The page's one piece of state: the last answer of the server, and the password it was asked with. Coming back to the
// tab asks again, so that "running" is never an old claim.

import { useEffect, useState } from "react";
import { openPasswordStore } from "../../api/password.ts";
import { fetchStatus, type StatusAnswer } from "../../api/status.ts";

const passwords = openPasswordStore();

export interface StatusControl {
  /** Undefined until the first answer. */
  answer: StatusAnswer | undefined;
  isAsking: boolean;
  hasPassword: boolean;
  retry(): void;
  unlock(password: string): void;
  forgetPassword(): void;
}

export function useStatus(): StatusControl {
  const [answer, setAnswer] = useState<StatusAnswer>();
  // A new object asks again, also when the password stays the same.
  const [question, setQuestion] = useState(() => ({ password: passwords.read() }));
  const [answered, setAnswered] = useState<typeof question>();

  useEffect(() => {
    const controller = new AbortController();
    const { password } = question;
    fetchStatus({ fetch: window.fetch.bind(window), password, signal: controller.signal }).then((next) => {
      if (controller.signal.aborted) return;
      if (next.kind === "ready" && password !== undefined) passwords.write(password);
      if (next.kind === "locked") passwords.forget();
      setAnswer(next);
      setAnswered(question);
    });
    return () => controller.abort();
  }, [question]);

  useEffect(() => {
    const askAgain = () => {
      if (document.visibilityState === "visible") setQuestion(({ password }) => ({ password }));
    };
    document.addEventListener("visibilitychange", askAgain);
    return () => document.removeEventListener("visibilitychange", askAgain);
  }, []);

  return {
    answer,
    isAsking: answered !== question,
    hasPassword: answer?.kind === "ready" && question.password !== undefined,
    retry: () => setQuestion(({ password }) => ({ password })),
    unlock: (password) => setQuestion({ password }),
    forgetPassword: () => {
      passwords.forget();
      setQuestion({ password: undefined });
    },
  };
}
