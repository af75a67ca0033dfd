import type { ComponentChildren } from 'preact';

/** A number with its name, in a list of such. */
export function Stat({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd>
        {children}
        {note !== undefined && <span class="stat-note"> {note}</span>}
      </dd>
    </div>
  );
}
