import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { DebugResult } from '../../core/protocol/codeRpc.ts';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { episodeRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';
import { Icon, IconButton } from '../../../base/webview/ui/Icon.tsx';
import type { GridActions } from '../../../base/webview/ui/RowMenu.tsx';

type Outcome = { readonly debug: DebugResult } | { readonly error: ErrorReport };

/**
 * A button that replays the episode. In an editor it starts the debugger, which stops at the selected call, or at the start;
 * in a browser it shows the command.
 */
export function DebugEpisode({ episode }: { readonly episode: number }) {
  const { route } = useViewer();
  const { debug: debugAt, outcome } = useDebug();
  const debug = (which: number): void => debugAt(which, route.kind === 'call' ? route.call : undefined);
  useShortcuts(l10n.t('Code'), [
    { keys: ['d'], what: l10n.t('Debug this episode'), run: () => debug(episode) },
  ]);
  return (
    <span class="go-to-source">
      <button
        type="button"
        class="link"
        aria-label={l10n.t('Debug this episode')}
        title={l10n.t('Debug this episode')}
        onClick={() => debug(episode)}
      >
        <Icon name="bug" /> <span class="link-label">{l10n.t('Debug this episode')}</span>
      </button>
      <span role="status">{outcome && <OutcomeMessage outcome={outcome} />}</span>
    </span>
  );
}

/** @param canRun see `canRunEpisodes` */
export function useEpisodeActions(canRun: boolean): {
  readonly actions: GridActions<EpisodeRow>;
  readonly note: ComponentChildren;
} {
  const { navigate } = useViewer();
  const { debug, outcome, forget } = useDebug();
  useShortcuts(l10n.t('Code'), canRun ? [{ keys: ['d'], what: l10n.t('Debug the episode of the row') }] : []);
  const actions: GridActions<EpisodeRow> = {
    label: ({ episode }) => l10n.t('Episode {0}', episode),
    of: ({ episode, state }) => [
      { name: l10n.t('Open'), icon: 'forward', run: () => navigate(episodeRoute(episode)) },
      ...(canRun && state === 'ended'
        ? [
            {
              name: l10n.t('Debug this episode'),
              icon: 'bug',
              shortcut: 'd',
              run: () => debug(episode),
            } as const,
          ]
        : []),
    ],
  };
  const isSaid = outcome !== undefined && !('debug' in outcome && outcome.debug.started === 'editor');
  const note = (
    // Above the table, because the row may be out of view.
    <div role="status">
      {isSaid && (
        <p class="debug-note">
          {l10n.t('Episode {0}', outcome.episode)}: <OutcomeMessage outcome={outcome} />
          <IconButton icon="close" name={l10n.t('Close')} onPress={forget} />
        </p>
      )}
    </div>
  );
  return { actions, note };
}

function useDebug() {
  const { client, trace } = useViewer();
  const [outcome, setOutcome] = useState<Outcome & { readonly episode: number }>();
  const debug = (episode: number, call?: number) => {
    client.ask('debug', { trace, episode, call }).then(
      (answer) => setOutcome({ episode, debug: answer }),
      (error: unknown) => setOutcome({ episode, error: toReport(error, 'viewer/debug') }),
    );
  };
  return { debug, outcome, forget: () => setOutcome(undefined) };
}

function OutcomeMessage({ outcome }: { readonly outcome: Outcome }) {
  if ('error' in outcome) {
    const { message, hint = '' } = outcome.error;
    return <span class="source-note">{`${message} ${hint}`}</span>;
  }
  const { started, command } = outcome.debug;
  if (started === 'editor') return null;
  return (
    <>
      <code class="source-place">{command}</code>
      <CopyButton text={command} what={l10n.t('Copy the command')} />
    </>
  );
}
