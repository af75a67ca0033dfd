import { missingNames } from '../../core/missingTexts.ts';
import * as l10n from '@vscode/l10n';
import type { RunView } from '../../core/protocol/runRpc.ts';
import type { ImportInfo, MissingData } from '../../../tracking/core/records/tracedRun.ts';
import { count, duration, fileName, moment, percent, reward, share } from '../../../base/core/format.ts';
import { Failure, Note } from '../../../base/webview/ui/Notices.tsx';
import { NotRecorded, useRecorded } from '../ui/Recorded.tsx';
import { FetchTokenizer } from '../ui/FetchTokenizer.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { runsRoute } from '../state/route.ts';
import { Fact, Stat, Status } from '../../../base/webview/ui/Stat.tsx';
import type { Fold } from '../../../base/webview/ui/useFold.tsx';
import { callsNote } from '../episode/Outcome.tsx';
import { episodeStatusWord } from './status.ts';
import { useViewer } from '../state/viewer.ts';
import { runState, runStatus } from '../../core/runStatus.ts';
import { trainingText } from '../../core/trainingTexts.ts';

export function RunHeader({ run, fold }: { readonly run: RunView; readonly fold: Fold }) {
  const state = runState(run);
  const { held } = useViewer();
  const status =
    held && state === 'running'
      ? { kind: 'held', word: episodeStatusWord('held') }
      : runStatus(state, run.totals);
  const recorded = useRecorded();
  return (
    <header class="run-header">
      <div class="title-line">
        <h1>{run.experiment}</h1>
        <Status {...status} />
        {run.imported === undefined && <TokenizerLine run={run} />}
        <RouteLink to={runsRoute}>{l10n.t('All runs')}</RouteLink>
        {fold.button}
      </div>
      <dl class="facts foldable">
        {run.imported === undefined && (
          <>
            <Fact name={l10n.t('config')} title={run.config}>
              {fileName(run.config)}
            </Fact>
            <Fact name={l10n.t('workflow')} title={run.workflowFile}>
              {run.workflow}
            </Fact>
          </>
        )}
        <Fact name={l10n.t('model')}>{run.model || <NotRecorded />}</Fact>
        {run.training && (
          <Fact name={l10n.t('training run')} title={run.training.checkpoint}>
            {trainingText(run.training)}
          </Fact>
        )}
        <Fact name={l10n.t('started')}>
          {recorded('times') && run.startedAt !== 0 ? moment(run.startedAt) : <NotRecorded />}
        </Fact>
      </dl>
      <Totals run={run} />
      {run.imported && <ImportNotice imported={run.imported} />}
      {run.newerFormat !== null && (
        <Note kind="info">
          {l10n.t(
            'This trace has format {0}, which is newer than this viewer. Unknown parts are not shown. Update AgentJet to see all of them.',
            run.newerFormat,
          )}
        </Note>
      )}
      {state === 'killed' && (
        <Note kind="warning">
          {l10n.t(
            'The process of this run ended early. Everything until then is recorded, except for episodes that were running.',
          )}
        </Note>
      )}
      {run.end?.error && <Failure report={run.end.error} />}
    </header>
  );
}

function TokenizerLine({ run: { tokenizer, config } }: { readonly run: RunView }) {
  return (
    <span
      class={`tokenizer ${tokenizer.exact ? '' : 'tokenizer-approximate'}`}
      title={tokenizer.file ?? undefined}
    >
      {tokenizer.exact
        ? l10n.t('tokenizer: {0}', tokenizer.name)
        : l10n.t('tokenizer: {0}, approximate', tokenizer.name)}{' '}
      {!tokenizer.exact && <FetchTokenizer config={config}>{l10n.t('Fetch Tokenizer')}</FetchTokenizer>}
    </span>
  );
}

function Totals({ run }: { readonly run: RunView }) {
  const { totals, episodes, startedAt, end, live, untrained } = run;
  const recorded = useRecorded();
  const of = (what: MissingData, text: string) => (recorded(what) ? text : <NotRecorded />);
  const trainable = recorded('tokens') && recorded('lossMask');
  return (
    <dl class="stats foldable">
      <Stat name={l10n.t('Episodes')} note={l10n.t('of {0}', count(episodes))}>
        {count(totals.ended)}
      </Stat>
      <Stat name={l10n.t('Mean reward')}>{of('rewards', reward(totals.meanReward))}</Stat>
      <Stat name={l10n.t('Success')}>{of('successes', percent(totals.successRate))}</Stat>
      <Stat name={l10n.t('Failed')}>{count(totals.failed)}</Stat>
      <Stat name={l10n.t('Calls')} note={live ? undefined : callsNote(totals.calls, untrained)}>
        {of('calls', count(totals.calls))}
      </Stat>
      <Stat name={l10n.t('Timelines')}>{count(totals.timelines)}</Stat>
      <Stat name={l10n.t('Tokens')}>{of('tokens', count(totals.tokens))}</Stat>
      <Stat
        name={l10n.t('Trainable')}
        note={trainable ? share(totals.trainableTokens, totals.tokens) : undefined}
      >
        {trainable ? count(totals.trainableTokens) : <NotRecorded />}
      </Stat>
      {end && <Stat name={l10n.t('Time')}>{of('times', duration((end.endedAt - startedAt) / 1000))}</Stat>}
    </dl>
  );
}

function ImportNotice({ imported }: { readonly imported: ImportInfo }) {
  const { format, source, lacks, skipped, skips } = imported;
  return (
    <Note kind={skipped > 0 ? 'warning' : 'info'}>
      <p title={source}>
        {l10n.t('Imported from {0} ({1}). That file is unchanged.', fileName(source), format)}
      </p>
      {lacks.length > 0 && (
        <p>
          {l10n.t(
            'The file does not have the following data, so their numbers here mean nothing: {0}.',
            missingNames(lacks),
          )}
        </p>
      )}
      {skipped > 0 && (
        <details class="import-skips">
          <summary>
            {skipped === 1
              ? l10n.t('1 part of it could not be read.')
              : l10n.t('{0} parts of it could not be read.', skipped)}
          </summary>
          <ul>
            {skips.map(({ where, why }, index) => (
              <li key={index}>
                <span class="mono">{where}</span>: {why}
              </li>
            ))}
          </ul>
          {skipped > skips.length && <p>{l10n.t('These are the first {0}.', skips.length)}</p>}
        </details>
      )}
    </Note>
  );
}
