//! A row of tabs after the pattern of the ARIA guide: one tab stop, arrows move between them.

interface TabsProps<Id extends string> {
  name: string;
  tabs: readonly { id: Id; label: string }[];
  current: Id;
  onSelect: (id: Id) => void;
}

const MOVES: Record<string, (index: number, n: number) => number> = {
  ArrowRight: (index, n) => (index + 1) % n,
  ArrowLeft: (index, n) => (index + n - 1) % n,
  Home: () => 0,
  End: (_, n) => n - 1,
};

export function Tabs<Id extends string>({ name, tabs, current, onSelect }: TabsProps<Id>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[move(tabs.findIndex(({ id }) => id === current), tabs.length)];
    if (!next) return;
    onSelect(next.id);
    document.getElementById(`${name}-tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={name} onKeyDown={onKeyDown}>
      {tabs.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="tab"
          id={`${name}-tab-${id}`}
          aria-selected={id === current}
          aria-controls={id === current ? `${name}-${id}` : undefined}
          tabIndex={id === current ? 0 : -1}
          onClick={() => { onSelect(id); }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
