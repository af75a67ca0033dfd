import * as l10n from '@vscode/l10n';
import type { ListSort } from '../../core/protocol/traceLists.ts';
import { OtherRun } from '../compare/OtherRun.tsx';
import type { ComponentChildren } from 'preact';
import { DataGrid, type Column } from '../ui/DataGrid.tsx';
import type { GridActions } from '../../../base/webview/ui/RowMenu.tsx';
import { Empty, Failure, Pending } from '../../../base/webview/ui/Notices.tsx';
import type { List } from './useList.ts';

export interface ListViewProps<Row> {
  readonly list: List<Row>;
  /** Part of each row's id. */
  readonly name: string;
  readonly label: string;
  readonly loading: string;
  readonly columns: readonly Column<Row>[];
  readonly sort: ListSort | null;
  readonly filtered: boolean;
  readonly onSort: (sort: ListSort | null) => void;
  readonly onClear: () => void;
  readonly onOpen: (row: Row) => void;
  /** Returns the episode of a row to compare with other runs; undefined: there is none. */
  readonly comparedOf: (row: Row) => number | undefined;
  readonly onLeave: () => void;
  readonly actions?: GridActions<Row>;
  readonly note?: ComponentChildren;
}

export function ListView<Row>(props: ListViewProps<Row>) {
  const { list, filtered, onOpen } = props;
  const { slice, error, retry, want } = list.window;
  if (slice === undefined) {
    return <Pending {...list.window}>{props.loading}</Pending>;
  }
  if (slice.total === 0 && !list.stale) {
    if (filtered) {
      return (
        <Empty title={l10n.t('Nothing matches the filter.')}>
          <button type="button" onClick={props.onClear}>
            {l10n.t('Clear the filter')}
          </button>
        </Empty>
      );
    }
    return (
      <Empty title={l10n.t('No episode has started yet.')}>
        {l10n.t('Episodes appear here when they start.')}
      </Empty>
    );
  }
  const current = Math.min(list.current.position, Math.max(slice.total - 1, 0));
  const row = list.rowAt(current);
  const open = (position: number) => {
    list.onCurrent(position);
    const row = list.rowAt(position);
    if (row !== undefined) onOpen(row);
  };
  return (
    <>
      {error && <Failure report={error} retry={retry} />}
      <div class="list-actions foldable">
        <OtherRun episode={row && props.comparedOf(row)} quiet />
      </div>
      {props.note}
      <DataGrid
        label={props.label}
        columns={props.columns}
        total={slice.total}
        rowAt={list.rowAt}
        name={props.name}
        current={current}
        shifted={list.current.shifted}
        onCurrent={list.onCurrent}
        onOpen={open}
        onRange={want}
        sort={props.sort}
        onSort={props.onSort}
        busy={list.stale}
        onScrolled={props.onLeave}
        {...(props.actions && { actions: props.actions })}
      />
    </>
  );
}
