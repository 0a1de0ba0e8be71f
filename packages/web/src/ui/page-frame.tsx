import { type ReactNode, useEffect, useRef } from "react";

interface PageFrameProps {
  /** Names the screen that is shown; screen readers hear it when it changes. */
  screen: string;
  foot?: ReactNode;
  children: ReactNode;
}

/** What every screen shares: the name, the way to the reference, the foot. */
export function PageFrame({ screen, foot, children }: PageFrameProps) {
  const main = useRef<HTMLElement>(null);
  useFocusOnChange(main, screen);
  return (
    <>
      <header className="top">
        <a className="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          Memoir
        </a>
        <nav aria-label="Documentation">
          <a href="/docs">API reference</a>
          <a href="/openapi.json">OpenAPI</a>
        </nav>
      </header>
      <p className="unseen" role="status">
        {screen}
      </p>
      <main ref={main}>{children}</main>
      <footer className="foot">
        <p>Agents that write their own memory.</p>
        {foot}
      </footer>
    </>
  );
}

/**
 * When a new screen removed the form or button that had the focus, its headline takes it, so that the keyboard goes on
 * from there and not from the top of the page.
 */
function useFocusOnChange(main: { current: HTMLElement | null }, screen: string): void {
  const lastScreen = useRef(screen);
  useEffect(() => {
    const hasChanged = lastScreen.current !== screen;
    lastScreen.current = screen;
    const hasFocus = document.activeElement && document.activeElement !== document.body;
    if (hasChanged && !hasFocus) main.current?.querySelector("h1")?.focus();
  }, [main, screen]);
}
