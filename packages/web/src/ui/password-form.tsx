import { type FormEvent, useId, useState } from "react";

interface PasswordFormProps {
  /** The last password was wrong. */
  isRefused: boolean;
  isBusy: boolean;
  onSubmit(password: string): void;
}

export function PasswordForm({ isRefused, isBusy, onSubmit }: PasswordFormProps) {
  const [password, setPassword] = useState("");
  const id = useId();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (password && !isBusy) onSubmit(password);
  }

  return (
    <form className="password" onSubmit={submit}>
      <label htmlFor={id}>Password</label>
      <div className="password-row">
        <input
          id={id}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          aria-invalid={isRefused}
          aria-describedby={isRefused ? `${id}-error` : undefined}
          onChange={(event) => setPassword(event.target.value)}
        />
        <button type="submit" className="button button-main" aria-disabled={isBusy}>
          {isBusy ? "Checking" : "Continue"}
        </button>
      </div>
      {isRefused && (
        <p className="password-error" id={`${id}-error`} role="alert">
          That password was not accepted.
        </p>
      )}
    </form>
  );
}
