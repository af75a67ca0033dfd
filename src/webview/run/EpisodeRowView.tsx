import type { ComponentChildren } from 'preact';
import type { EpisodeRow } from '../../protocol/traceRpc.ts';
import { count, duration, reward, share } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { episodeStatus, successWords, trainsWord } from './status.ts';

interface Column {
  readonly name: string;
  readonly className?: string;
  readonly cell: (row: EpisodeRow) => ComponentChildren;
}

const number = 'number';

const columns: readonly Column[] = [
  { name: 'Task', className: 'task', cell: (row) => <TaskCell row={row} /> },
  { name: 'Repeat', className: number, cell: (row) => row.repeat },
  { name: 'Reward', className: number, cell: (row) => reward(row.reward) },
  { name: 'Advantage', className: number, cell: (row) => reward(row.advantage) },
  { name: 'Success', cell: (row) => <SuccessCell row={row} /> },
  { name: 'Would train', cell: (row) => <TrainsCell row={row} /> },
  { name: 'Calls', className: number, cell: (row) => count(row.calls) },
  { name: 'Timelines', className: number, cell: (row) => count(row.timelines) },
  { name: 'Tokens', className: number, cell: (row) => count(row.tokens) },
  { name: 'Trainable', className: number, cell: (row) => <TrainableCell row={row} /> },
  { name: 'Time', className: number, cell: (row) => duration(row.seconds) },
];

export const rowId = (position: number): string => `episode-row-${position}`;

export function HeaderRow() {
  return (
    <div class="grid-header" role="rowgroup">
      <div class="grid-row" role="row" aria-rowindex={1}>
        {columns.map(({ name, className }) => (
          <div key={name} class={`cell ${className ?? ''}`} role="columnheader">
            {name}
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  /** In the list of episodes. */
  readonly position: number;
  /** Undefined while it has not arrived. */
  readonly row: EpisodeRow | undefined;
  /** Pixels from the list's start. */
  readonly top: number;
  readonly current: boolean;
  readonly marked: ReadonlySet<number>;
  readonly onOpen: () => void;
}

export function EpisodeRowView({ position, row, top, current, marked, onOpen }: RowProps) {
  const isMarked = row !== undefined && marked.has(row.episode);
  return (
    <div
      id={rowId(position)}
      class={`grid-row body-row ${current ? 'current' : ''} ${isMarked ? 'marked' : ''}`}
      role="row"
      aria-rowindex={position + 2}
      aria-selected={isMarked}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onOpen}
    >
      {columns.map(({ name, className, cell }) => (
        <div key={name} class={`cell ${className ?? ''}`} role="gridcell">
          {row ? cell(row) : '…'}
        </div>
      ))}
    </div>
  );
}

function TaskCell({ row }: { readonly row: EpisodeRow }) {
  return (
    <span title={row.query}>
      <span class="task-id">{row.taskId}</span> <span class="task-query">{row.query}</span>
    </span>
  );
}

function SuccessCell({ row }: { readonly row: EpisodeRow }) {
  const status = episodeStatus(row);
  return (
    <span class={`success success-${status}`} title={row.error?.message}>
      {status === 'success' && <Icon name="check" />}
      {(status === 'failed' || status === 'lost') && <Icon name="cross" />}
      {status === 'running' && <span class="status-dot" aria-hidden="true" />}
      {successWords[status]}
    </span>
  );
}

function TrainableCell({ row }: { readonly row: EpisodeRow }) {
  return (
    <>
      {count(row.trainableTokens)} <span class="muted share">{share(row.trainableTokens, row.tokens)}</span>
    </>
  );
}

function TrainsCell({ row }: { readonly row: EpisodeRow }) {
  const [first] = row.findings;
  return (
    <span title={row.findings.map(({ message }) => message).join('\n')}>
      {row.trains === false && <Icon name="cross" />}
      {row.trains === true && first && <Icon name="warning" />}
      {trainsWord(row.trains)}
      {first && <span class="muted reason">: {first.message}</span>}
    </span>
  );
}
