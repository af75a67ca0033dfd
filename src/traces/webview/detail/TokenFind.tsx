import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TokenQuery } from '../../core/protocol/tokenRpc.ts';
import { count } from '../../../base/core/format.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { FindSteps } from '../ui/FindSteps.tsx';
import { mostMatches, wantedOf, type Search } from './tokenSearch.ts';

interface Props {
  readonly search: Search | null;
  readonly onSearch: (wanted: TokenQuery) => void;
  readonly onStep: (direction: 1 | -1) => void;
  readonly onClose: () => void;
}

/** Finds text, a pattern or an id in the tokens of a timeline, whether or not they are loaded. */
export function TokenFind({ search, onSearch, onStep, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState<TokenQuery['kind']>('text');
  const [matchCase, setMatchCase] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const wanted = wantedOf(typed, kind, matchCase);
  const isSearched = search !== null && JSON.stringify(search.wanted) === JSON.stringify(wanted);
  const go = (direction: 1 | -1) => {
    if (wanted === undefined) return;
    if (isSearched && search.state !== 'failed') onStep(direction);
    else onSearch(wanted);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.target === input.current) go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const failed = isSearched && search.state === 'failed' ? search.error : undefined;
  const wrong = typed !== '' && wanted === undefined ? l10n.t('A token id is a whole number.') : undefined;
  return (
    <search class="token-bar" aria-label={l10n.t('Find in the tokens')} onKeyDown={onKeyDown}>
      <input
        type="text"
        aria-label={l10n.t('Text to find')}
        aria-invalid={failed !== undefined || wrong !== undefined}
        placeholder={l10n.t('Find')}
        value={typed}
        ref={input}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <KindOfSearch kind={kind} onKind={setKind} matchCase={matchCase} onMatchCase={setMatchCase} />
      <FindSteps onStep={go} />
      <p class={`found-text ${failed || wrong ? 'invalid' : ''}`} role="status">
        {wrong ?? (isSearched ? textOf(search) : '')}
      </p>
      <Close onClose={onClose} />
    </search>
  );
}

interface KindProps {
  readonly kind: TokenQuery['kind'];
  readonly onKind: (kind: TokenQuery['kind']) => void;
  readonly matchCase: boolean;
  readonly onMatchCase: (matches: boolean) => void;
}

function KindOfSearch({ kind, onKind, matchCase, onMatchCase }: KindProps) {
  return (
    <>
      <select
        aria-label={l10n.t('Kind of search')}
        value={kind}
        onChange={({ currentTarget }) => onKind(kindOf(currentTarget.value))}
      >
        <option value="text">{l10n.t('Text')}</option>
        <option value="pattern">{l10n.t('Regular expression')}</option>
        <option value="id">{l10n.t('Token id')}</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={matchCase}
          disabled={kind === 'id'}
          onChange={({ currentTarget }) => onMatchCase(currentTarget.checked)}
        />
        {l10n.t('Match case')}
      </label>
    </>
  );
}

function kindOf(value: string): TokenQuery['kind'] {
  return value === 'pattern' || value === 'id' ? value : 'text';
}

function textOf({ matches, at, state, error }: Search): string {
  if (error !== undefined) return error.message;
  const place = count(at + 1);
  switch (state) {
    case 'searching':
      return l10n.t('Searching… {0} so far', count(matches.length));
    case 'full':
      return l10n.t('{0} of the first {1}', place, count(mostMatches));
    default:
      return matches.length === 0
        ? l10n.t('Nothing found')
        : l10n.t('{0} of {1}', place, count(matches.length));
  }
}

interface GoProps {
  readonly total: number;
  readonly onGo: (token: number) => void;
  readonly onClose: () => void;
}

export function TokenGo({ total, onGo, onClose }: GoProps) {
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const digits = typed.replaceAll(/[\s,.'_]/g, '');
  const token = /^\d{1,12}$/.test(digits) ? Number(digits) : undefined;
  const valid = token !== undefined && token < total;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && valid) onGo(token);
    else return;
    event.preventDefault();
  };
  return (
    <div class="token-bar" role="group" aria-label={l10n.t('Go to a token')} onKeyDown={onKeyDown}>
      <input
        type="text"
        inputMode="numeric"
        aria-label={l10n.t('Position of the token')}
        aria-invalid={typed !== '' && !valid}
        placeholder={l10n.t('Position')}
        value={typed}
        ref={input}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="button" disabled={!valid} onClick={() => valid && onGo(token)}>
        {l10n.t('Go')}
      </button>
      <p class={`found-text ${typed !== '' && !valid ? 'invalid' : ''}`} role="status">
        {l10n.t('A number from 0 to {0}', count(total - 1))}
      </p>
      <Close onClose={onClose} />
    </div>
  );
}

function Close({ onClose }: { readonly onClose: () => void }) {
  return <IconButton icon="close" name={l10n.t('Close')} onPress={onClose} />;
}
