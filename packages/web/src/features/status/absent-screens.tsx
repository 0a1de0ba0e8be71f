// The screens for when there is nothing to show: not yet, not there, not well.

import { Hero } from "../../ui/hero.tsx";

interface RetryProps {
  isBusy: boolean;
  onRetry(): void;
}

export function LoadingScreen() {
  return (
    <div className="late">
      <Hero tone="waiting" badge="Connecting" title="Asking the server how it is.">
        <p className="lead">This takes a moment at most.</p>
      </Hero>
    </div>
  );
}

export function UnreachableScreen(props: RetryProps) {
  return (
    <Hero tone="bad" badge="Unreachable" title="The server does not answer.">
      <p className="lead">
        Nothing answers at <code>{window.location.origin}</code>. Start it with <code>npm start</code>, or look at the
        terminal where it was running for the reason it stopped.
      </p>
      <RetryButton {...props} />
    </Hero>
  );
}

export function FailedScreen({ reason, ...props }: RetryProps & { reason: string }) {
  return (
    <Hero tone="bad" badge="Error" title="The server could not say how it is.">
      <p className="lead">{reason}</p>
      <RetryButton {...props} />
    </Hero>
  );
}

function RetryButton({ isBusy, onRetry }: RetryProps) {
  return (
    <p className="actions">
      <button type="button" className="button button-main" aria-disabled={isBusy} onClick={onRetry}>
        {isBusy ? "Trying" : "Try again"}
      </button>
    </p>
  );
}
