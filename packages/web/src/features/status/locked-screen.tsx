import { Hero } from "../../ui/hero.tsx";
import { PasswordForm } from "../../ui/password-form.tsx";

interface LockedScreenProps {
  isRefused: boolean;
  isBusy: boolean;
  onSubmit(password: string): void;
}

export function LockedScreen({ isRefused, isBusy, onSubmit }: LockedScreenProps) {
  return (
    <>
      <Hero tone="waiting" badge="Password mode" title="This server asks for a password.">
        <p className="lead">
          Every request passes it in the header <code>Authorization: Bearer &lt;password&gt;</code>; the official
          clients take it as their API key.
        </p>
      </Hero>
      <PasswordForm isRefused={isRefused} isBusy={isBusy} onSubmit={onSubmit} />
      <p className="quiet">Kept in this browser tab only, and forgotten when you close it.</p>
    </>
  );
}
