import type { ReactNode } from "react";

interface HeroProps {
  tone: "good" | "waiting" | "bad";
  badge: string;
  title: string;
  children: ReactNode;
}

/** The headline of a screen. It can take the focus, for when a screen replaces the one that had it. */
export function Hero({ tone, badge, title, children }: HeroProps) {
  return (
    <div className="hero">
      <p className={`badge badge-${tone}`}>{badge}</p>
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </div>
  );
}
