import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

export interface Tab {
  id: string;
  title: string;
  content: ReactNode;
}

/** Tabs by the ARIA pattern: one stop for the Tab key, arrows and Home and End move between them. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const [selected, setSelected] = useState(0);
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);

  function moveFocus(event: KeyboardEvent) {
    const target = targetOfKey(event.key, selected, tabs.length);
    if (target === undefined) return;
    event.preventDefault();
    setSelected(target);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[target]?.focus();
  }

  const current = tabs[selected];
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={moveFocus}>
        {tabs.map(({ id, title }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-${id}`}
            aria-selected={index === selected}
            aria-controls={`${prefix}-panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {title}
          </button>
        ))}
      </div>
      {current && (
        <div role="tabpanel" id={`${prefix}-panel`} aria-labelledby={`${prefix}-${current.id}`}>
          {current.content}
        </div>
      )}
    </div>
  );
}

function targetOfKey(key: string, selected: number, count: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return (selected + 1) % count;
    case "ArrowLeft":
      return (selected - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
