import type { ConfigContext } from '../../../context.ts';
import data from '../data/algorithms.json' with { type: 'json' };
import { type AcrossRuleId, acrossRules } from '../catalog.ts';
import type { Severity } from '../../ruleEntry.ts';
import { Settings, type Report, type Source } from '../settings.ts';

/** First release of Trinity-RFT in which something holds, where it does not in all that are known, 0.3.3 to 0.6. */
export type Since = '0.4' | '0.5.1' | '0.6';

/** The description of an algorithm; see `algorithms.json`. */
export interface Algorithm {
  /** Only these modes work. */
  readonly modes?: readonly string[];
  readonly critic?: boolean;
  /** It compares the runs of one task with one another. */
  readonly group?: boolean;
  /** True if it also reads a buffer of examples. */
  readonly auxiliary?: boolean;
  /** The fixed value of `repeat_times`. */
  readonly repeat_times?: number;
  readonly advantage_fn?: string;
  readonly policy_loss_fn?: string;
  readonly sample_strategy?: string;
}

const algorithms: Readonly<Record<string, Algorithm | undefined>> = data.trinity;

interface ViewOptions {
  /** The release that will read the values, where it is known. */
  readonly version?: string;
  /** Adjusts a severity; undefined drops the finding. */
  readonly weigh?: (severity: Severity) => Severity | undefined;
}

interface TrinityReport extends Report {
  readonly since?: Since | undefined;
}

/** A configuration as Trinity's validator sees it: a file's own, one stage of it, or what AgentJet's launcher makes. */
export class TrinityView extends Settings {
  readonly #options: ViewOptions;

  constructor(context: ConfigContext, source: Source, options: ViewOptions = {}) {
    super(context, source);
    this.#options = options;
  }

  get mode(): string | undefined {
    return this.text('mode');
  }

  get algorithm(): Algorithm | undefined {
    const name = this.text('algorithm.algorithm_type');
    return name === undefined ? undefined : algorithms[name];
  }

  /** True if this machine runs an engine or a trainer, not a service or an external model. */
  get local(): boolean {
    return this.flag('model.tinker.enable') === false && this.flag('model.external_model.enable') === false;
  }

  isMode(...modes: readonly string[]): boolean {
    return this.mode !== undefined && modes.includes(this.mode);
  }

  /** The weight transfer by its present name, whatever its case. */
  get syncMethod(): string | undefined {
    const written = this.text('synchronizer.sync_method')?.toLowerCase();
    return written === 'online' ? 'nccl' : written === 'offline' ? 'checkpoint' : written;
  }

  /**
   * Reports one action of the validator. If only some releases raise an error, it is a warning until the release is
   * known. Rules of other releases are dropped.
   */
  override report(rule: AcrossRuleId, { since, severity, ...rest }: TrinityReport): void {
    const usual: Severity = severity ?? acrossRules[rule].severity;
    const { version, weigh } = this.#options;
    const age = since && version?.localeCompare(since, 'en', { numeric: true });
    if (age !== undefined && age < 0) return;
    const dated = since !== undefined && version === undefined && usual === 'error' ? 'warning' : usual;
    const weighed = weigh === undefined ? dated : weigh(dated);
    if (weighed !== undefined) super.report(rule, { ...rest, severity: weighed });
  }
}

export type TrinityRule = (view: TrinityView) => void;
