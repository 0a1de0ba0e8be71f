import type { StatusAnswer } from "../../api/status.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { FailedScreen, LoadingScreen, UnreachableScreen } from "./absent-screens.tsx";
import { LockedScreen } from "./locked-screen.tsx";
import { ReadyScreen } from "./ready-screen.tsx";
import { type StatusControl, useStatus } from "./use-status.ts";

/** Memoir's front page until the workbench takes its place: what is running, and how to talk to it. */
export function StatusPage() {
  const control = useStatus();
  const forget = control.hasPassword && (
    <button type="button" className="link-button" onClick={control.forgetPassword}>
      Forget the password
    </button>
  );
  return (
    <PageFrame screen={announcements[control.answer?.kind ?? "loading"]} foot={forget}>
      {chooseScreen(control)}
    </PageFrame>
  );
}

const announcements: Record<StatusAnswer["kind"] | "loading", string> = {
  loading: "Connecting",
  ready: "The server is running",
  locked: "The server asks for a password",
  unreachable: "The server does not answer",
  failed: "The server answered with an error",
};

function chooseScreen({ answer, isAsking, hasPassword, retry, unlock }: StatusControl) {
  if (!answer) return <LoadingScreen />;
  switch (answer.kind) {
    case "ready":
      return <ReadyScreen status={answer.status} hasPassword={hasPassword} />;
    case "locked":
      return <LockedScreen isRefused={answer.refused} isBusy={isAsking} onSubmit={unlock} />;
    case "unreachable":
      return <UnreachableScreen isBusy={isAsking} onRetry={retry} />;
    case "failed":
      return <FailedScreen reason={answer.reason} isBusy={isAsking} onRetry={retry} />;
  }
}
