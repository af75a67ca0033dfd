import * as l10n from '@vscode/l10n';
import { useState, useContext } from 'preact/hooks';
import type { RunView } from '../core/protocol/runRpc.ts';
import type { Navigator } from './state/navigator.ts';
import { parentOf, pathOf, type Route } from './state/route.ts';
import { useShortcuts, ShortcutsContext } from './state/shortcuts.ts';
import { useAnswer, useViewer } from './state/viewer.ts';
import { RouteLink } from './ui/RouteLink.tsx';
import { Dialog } from '../../base/webview/ui/Dialog.tsx';
import { Icon, IconButton } from '../../base/webview/ui/Icon.tsx';

function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useContext(ShortcutsContext);
  return (
    <Dialog class="shortcuts" title={l10n.t('Keyboard shortcuts')} onClose={onClose}>
      {shortcuts.list().map(({ title, shortcuts: listed }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {listed.map(({ keys, what }) => (
              <div key={what}>
                <dt>
                  {keys.map((one) => (
                    <kbd key={one}>{keyName(one)}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

function keyName(keys: string): string {
  return keys
    .split('+')
    .map((key) => signs[key] ?? key)
    .join('+');
}

const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};

export function Breadcrumbs({ run, navigator }: { readonly run: RunView; readonly navigator: Navigator }) {
  const { route, navigate } = useViewer();
  const [listed, setListed] = useState(false);
  const levels = { run: navigator.run, repeat: run.repeat, tasks: run.tasks };
  const above = parentOf(route, levels);
  const back = () => navigator.back(above);
  const up = () => navigate(above);
  useShortcuts(l10n.t('Global'), [
    { keys: ['Alt+ArrowLeft'], what: l10n.t('Back'), run: back },
    { keys: ['Alt+ArrowRight'], what: l10n.t('Forward'), run: () => navigator.forward() },
    { keys: ['u', 'Alt+ArrowUp'], what: l10n.t('One level up'), run: up },
    { keys: ['?'], what: l10n.t('Show the keyboard shortcuts'), run: () => setListed(true) },
  ]);
  return (
    <nav class="breadcrumbs" aria-label={l10n.t('Breadcrumbs')}>
      <IconButton
        icon="back"
        name={l10n.t('Back')}
        onPress={back}
        disabled={isTop(route) && !navigator.canGoBack}
      />
      <IconButton
        icon="forward"
        name={l10n.t('Forward')}
        onPress={() => navigator.forward()}
        disabled={!navigator.canGoForward}
      />
      <IconButton icon="up" name={l10n.t('One level up')} onPress={up} disabled={isTop(route)} />
      <Path path={pathOf(route, levels)} run={run} />
      <IconButton icon="keyboard" name={l10n.t('Keyboard shortcuts')} onPress={() => setListed(true)} />
      {listed && <ShortcutList onClose={() => setListed(false)} />}
    </nav>
  );
}

function Path({ path, run }: { readonly path: readonly Route[]; readonly run: RunView }) {
  const { trace } = useViewer();
  const number = path.reduce<number | null>((last, route) => episodeOf(route, run.repeat) ?? last, null);
  const { value: label } = useAnswer(
    'label',
    number === null ? null : { trace, episode: number },
    () => true,
  );
  const inGroup = path.some(({ kind }) => kind === 'group');
  const nameOf = (route: Route): string => {
    if (label !== undefined && route.kind === 'group' && label.taskId !== '') return label.taskId;
    if (label !== undefined && route.kind === 'episode' && inGroup) return l10n.t('repeat {0}', label.repeat);
    return plainName(route, run.experiment);
  };
  return (
    <ol>
      {path.map((route, index) => (
        <li key={index}>
          {index > 0 && <Icon name="chevron" />}
          {index < path.length - 1 ? (
            <RouteLink to={route}>{nameOf(route)}</RouteLink>
          ) : (
            <span aria-current="page">{nameOf(route)}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

function isTop(route: Route): boolean {
  return route.kind === 'run';
}

/** Returns the episode of a route, or the first of its group; null: none. */
function episodeOf(route: Route, repeat: number): number | null {
  if (route.kind === 'group') return route.group * Math.max(1, repeat);
  return route.kind === 'episode' ? route.episode : null;
}

function plainName(route: Route, experiment: string): string {
  switch (route.kind) {
    case 'run':
      return experiment;
    case 'runs':
      return l10n.t('Runs');
    case 'group':
      return l10n.t('Group {0}', route.group);
    case 'episode':
      return l10n.t('Episode {0}', route.episode);
    case 'call':
      return l10n.t('Call {0}', route.call);
    case 'timeline':
      return route.setting === null
        ? l10n.t('Timeline {0}', route.timeline)
        : l10n.t('Timeline {0} with another setting', route.timeline);
    case 'compare':
      if (route.trace !== null || route.otherTrace !== null) return l10n.t('Compared with another run');
      return route.other === null ? l10n.t('Compared') : l10n.t('Compared with episode {0}', route.other);
  }
}
