import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { SearchView, FoundText } from '../../core/protocol/episodeRpc.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { FindSteps } from '../ui/FindSteps.tsx';
import { Failure } from '../../../base/webview/ui/Notices.tsx';
import type { MessageSource } from './LongText.tsx';

export interface Search {
  readonly text: string;
  readonly matchCase: boolean;
  readonly view: SearchView | undefined;
  /** Index of the match; -1: none is shown yet. */
  readonly at: number;
}

export const noSearch: Search = { text: '', matchCase: false, view: undefined, at: -1 };

/** The sign for "match case" that editors use in every language. */
const caseSign = 'Aa';

export function foundOf({ view, at }: Search): FoundText | undefined {
  return view?.matches[at];
}

interface Props {
  readonly source: MessageSource;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
  readonly onClose: () => void;
}

export function FindBar({ source, search, onSearch, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const onFound = (found: Search) => {
    // The user may have typed on since the matches were requested.
    if (input.current?.value === found.text) onSearch(found);
  };
  const total = search.view?.matches.length ?? 0;
  const step = (by: 1 | -1) => {
    if (total > 0)
      onSearch({ ...search, at: search.at < 0 && by < 0 ? total - 1 : (search.at + by + total) % total });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <div class="find-bar" role="search" onKeyDown={onKeyDown}>
      <input
        ref={input}
        type="text"
        class="find-input"
        aria-label={l10n.t('Find in all messages')}
        placeholder={l10n.t('Find in all messages')}
        spellcheck={false}
        value={search.text}
        onInput={({ currentTarget }) =>
          onSearch({ ...noSearch, matchCase: search.matchCase, text: currentTarget.value })
        }
      />
      <button
        type="button"
        class="find-case"
        aria-pressed={search.matchCase}
        title={l10n.t('Match case')}
        aria-label={l10n.t('Match case')}
        onClick={() => onSearch({ ...noSearch, text: search.text, matchCase: !search.matchCase })}
      >
        {caseSign}
      </button>
      <span class="find-count" role="status">
        {search.text !== '' && <Counted search={search} />}
      </span>
      <FindSteps disabled={total === 0} onStep={step} />
      <IconButton icon="close" name={l10n.t('Close the search')} onPress={onClose} />
      {search.text !== '' && <Finder key={search.text} source={source} search={search} onSearch={onFound} />}
    </div>
  );
}

function Finder({ source, search, onSearch }: Omit<Props, 'onClose'>) {
  const { trace } = useViewer();
  const { text, matchCase } = search;
  const { value, error, retry } = useAnswer('search', { trace, ...source, text, matchCase });
  useEffect(() => {
    if (value !== undefined && value !== search.view) onSearch({ ...search, view: value });
  }, [value]);
  return error ? <Failure report={error} retry={retry} /> : null;
}

function Counted({ search: { view, at } }: { readonly search: Search }) {
  if (view === undefined) return l10n.t('Searching…');
  const { matches, more } = view;
  if (matches.length === 0) return l10n.t('Nothing found');
  const total = more ? l10n.t('more than {0}', count(matches.length)) : count(matches.length);
  return at < 0 ? l10n.t('{0} found', total) : l10n.t('{0} of {1}', count(at + 1), total);
}
