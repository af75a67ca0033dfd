import * as l10n from '@vscode/l10n';
import { elapsedOf, remainingOf, type RunData } from '../data/runData.ts';
import { useNow, usePage } from '../page.ts';
import { number, stepText } from '../text.ts';
import { count, duration, moment, percent, unknown } from '../../../base/core/format.ts';
import { Note } from '../../../base/webview/ui/Notices.tsx';
import { Fact, Stat, Status } from '../../../base/webview/ui/Stat.tsx';
import { checkpointText, launcherText, phaseText, stateText } from '../../core/runs/words.ts';
import { adviceFor, newestCheckpoint, stateClass } from './words.ts';

export function RunHeader() {
  const { own: run } = usePage();
  const { record, host, local } = run.shown;
  return (
    <header class="run-header">
      <div class="title-line">
        <h1>{record.name}</h1>
        <StateOf run={run} />
        <span class="muted">{local === undefined ? l10n.t('on {0}', host) : l10n.t('on this machine')}</span>
        <Actions run={run} />
      </div>
      <Origin run={run} />
      <Numbers run={run} />
      <Progress run={run} />
      <Reason run={run} />
    </header>
  );
}

export function StateOf({ run }: { readonly run: RunData }) {
  const { state } = run.shown.record;
  return <Status kind={stateClass(state)} word={stateText(state)} />;
}

function Actions({ run }: { readonly run: RunData }) {
  const { ask, isGone } = usePage();
  if (isGone) return null;
  const { may, rollouts, record, local } = run.shown;
  const mayCancel = may.cancel && !run.isOver && record.state !== 'cancelling';
  const actions = [
    rollouts && (['openRollouts', l10n.t('Open rollouts')] as const),
    local === undefined && (['showLog', l10n.t('Show log')] as const),
    ['showConfig', l10n.t('Show config')] as const,
    ['copyCommand', l10n.t('Copy command')] as const,
    mayCancel && (['cancel', l10n.t('Cancel run')] as const),
  ];
  return (
    <div class="actions">
      {actions.map((action) => {
        if (!action) return null;
        const [type, text] = action;
        return (
          <button key={type} type="button" onClick={() => ask({ type, run: run.id })}>
            {text}
          </button>
        );
      })}
    </div>
  );
}

function Origin({ run }: { readonly run: RunData }) {
  const { record, local } = run.shown;
  const { config, gpus, owner, from, startedAt, createdAt } = record;
  return (
    <dl class="facts">
      <Fact name={l10n.t('config')}>{config}</Fact>
      <Fact name={l10n.t('launcher')}>{launcherText(record)}</Fact>
      {local === undefined ? (
        <Fact name={l10n.t('GPUs')}>{count(gpus)}</Fact>
      ) : (
        <>
          <Fact name={l10n.t('server')}>{local.server ?? l10n.t('from the environment')}</Fact>
          <Fact name={l10n.t('base model')}>{local.baseModel}</Fact>
          <Fact name={l10n.t('loss')}>{local.loss}</Fact>
          <Fact name={l10n.t('rank')}>{count(local.rank)}</Fact>
          {local.usage && <Fact name={l10n.t('tokens')}>{tokenText(local.usage)}</Fact>}
        </>
      )}
      <Fact name={startedAt === null ? l10n.t('submitted') : l10n.t('started')}>
        {moment(startedAt ?? createdAt)}
      </Fact>
      {owner !== '' && <Fact name={l10n.t('started by')}>{owner}</Fact>}
      {from && (
        <Fact name={from.as === 'resume' ? l10n.t('resumed from') : l10n.t('forked from')}>
          {`${from.run}, ${checkpointText(from)}`}
        </Fact>
      )}
    </dl>
  );
}

function Numbers({ run }: { readonly run: RunData }) {
  const now = useNow(!run.isOver);
  const { totalSteps, reward, phase, state, stages } = run.shown.record;
  const { step, stage } = run;
  const shownPhase = phase ?? run.phase?.phase;
  const since = run.phase && !run.isOver ? (now + run.clockAhead - run.phase.at) / 1000 : undefined;
  const isEarly = step === null;
  return (
    <dl class="stats">
      {state === 'running' && shownPhase !== undefined && (
        <Stat
          name={l10n.t('Phase')}
          note={isEarly && since !== undefined ? l10n.t('for {0}', wholeDuration(since)) : undefined}
        >
          {phaseText(shownPhase)}
        </Stat>
      )}
      {stage > 0 && (
        <Stat
          name={l10n.t('Stage')}
          note={stages && l10n.t('{0} of {1}', count(stage), count(stages.length))}
        >
          {run.stageName(stage)}
        </Stat>
      )}
      <Stat
        name={l10n.t('Step')}
        note={totalSteps === null ? undefined : l10n.t('of {0}', count(totalSteps))}
      >
        {step === null ? unknown : count(step)}
      </Stat>
      <Stat name={l10n.t('Mean reward')}>{number(reward)}</Stat>
      <Stat name={l10n.t('Elapsed')}>{wholeDuration(elapsedOf(run, now))}</Stat>
      {!run.isOver && (
        <Stat name={stage > 0 ? l10n.t('Time left in the stage') : l10n.t('Time left')}>
          {about(remainingOf(run, now))}
        </Stat>
      )}
      <Used run={run} />
      {run.gpus.length > 0 && !run.isOver && (
        <Stat name={l10n.t('GPU load')}>
          <span class="gpus">
            {run.gpus.map(({ index, name, load }) => (
              <span key={index} class="gpu" title={name}>
                {`${index}: ${percent(load === null ? null : load / 100)}`}
              </span>
            ))}
          </span>
        </Stat>
      )}
    </dl>
  );
}

/** The use of a training of this machine, with its limits. */
function Used({ run }: { readonly run: RunData }) {
  const { usage, expected, limits = {} } = run.shown.local ?? {};
  if (usage === undefined) return null;
  const { maxHours, maxTokens, maxCost } = limits;
  const noteOf = (limit: number | undefined, inAll: number | undefined): string | undefined => {
    const parts = [
      ...(limit === undefined ? [] : [l10n.t('of {0}', number(limit))]),
      ...(inAll === undefined ? [] : [l10n.t('about {0} in all', number(Number(inAll.toPrecision(2))))]),
    ];
    return parts.length === 0 ? undefined : parts.join(', ');
  };
  return (
    <>
      {maxHours !== undefined && (
        <Stat name={l10n.t('Time without breakpoints')} note={l10n.t('of {0} h', number(maxHours))}>
          {wholeDuration(usage.seconds)}
        </Stat>
      )}
      <Stat name={l10n.t('Tokens')} note={noteOf(maxTokens, expected?.tokens)}>
        {count(usage.tokens)}
      </Stat>
      {usage.cost !== undefined && (
        <Stat name={l10n.t('Cost')} note={noteOf(maxCost, expected?.cost)}>
          {number(usage.cost)}
        </Stat>
      )}
    </>
  );
}

type Usage = NonNullable<NonNullable<RunData['shown']['local']>['usage']>;

function tokenText({ prefill, sample, train }: Usage): string {
  return l10n.t('{0} in prompts, {1} sampled, {2} trained', count(prefill), count(sample), count(train));
}

/** Returns a duration in whole seconds, because the page updates it every second. */
function wholeDuration(seconds: number | null): string {
  if (seconds === null) return unknown;
  const whole = Math.max(0, Math.round(seconds));
  return whole < 60 ? l10n.t('{0} s', whole) : duration(whole);
}

function about(seconds: number | null): string {
  return seconds === null ? unknown : l10n.t('about {0}', wholeDuration(seconds));
}

function Progress({ run }: { readonly run: RunData }) {
  const { totalSteps, state } = run.shown.record;
  if (totalSteps === null || run.step === null || state === 'finished') return null;
  return (
    <progress
      class="steps"
      max={totalSteps}
      value={Math.min(run.step, totalSteps)}
      aria-label={l10n.t('{0} of {1}', stepText(run.step), count(totalSteps))}
    />
  );
}

function ResumeButton({ run }: { readonly run: RunData }) {
  const { ask, isGone } = usePage();
  const newest = newestCheckpoint(run);
  if (isGone || newest === undefined || !run.shown.may.start || run.shown.record.state === 'finished')
    return null;
  const { step, stage } = newest;
  const ref = { run: run.id, step, ...(stage !== undefined && { stage }) };
  return (
    <div class="actions">
      <button type="button" onClick={() => ask({ type: 'resume', ...ref })}>
        {l10n.t('Resume from {0}', checkpointText(newest))}
      </button>
    </div>
  );
}

function Reason({ run }: { readonly run: RunData }) {
  const { reason, exitCode, state } = run.shown.record;
  if (!run.isOver) return null;
  const advice = adviceFor(run);
  const failed = state === 'failed' || state === 'lost' || state === 'rebooted';
  if (reason === null && advice === undefined) return null;
  return (
    <Note kind={failed ? 'error' : 'info'}>
      {reason !== null && <p class="notice-title">{reason}</p>}
      {exitCode !== null && exitCode !== 0 && <p>{l10n.t('Exit code: {0}', exitCode)}</p>}
      {advice !== undefined && advice !== '' && <p>{advice}</p>}
      <ResumeButton run={run} />
    </Note>
  );
}
