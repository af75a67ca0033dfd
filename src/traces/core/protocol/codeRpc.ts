/** What a viewer or an editor asks a trace server about the user's code, and what it is answered. */
import * as z from 'zod/mini';
import type { CallSource } from '../../../tracking/core/records/trace.ts';

const count = z.int().check(z.gte(0));

export const sourceOf = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), call: count }),
  /** By the tool's name. */
  z.object({ kind: z.literal('tool'), tool: z.string() }),
  z.object({ kind: z.literal('reward') }),
]);

/** What leads from a trace to the code. */
export type SourceOf = z.infer<typeof sourceOf>;

export interface SourceView extends CallSource {
  /** Whether the file still is as the run found it; `unknown`: the trace does not say how that was. */
  readonly state: 'same' | 'changed' | 'gone' | 'unknown';
  /** `scan`: found by the tool's name in the file as it is now. */
  readonly found: 'recorded' | 'scan';
}

export interface ShowResult {
  readonly source: SourceView;
  /** `told`: who is asked has no editor, so the page itself has to say where it is. */
  readonly shown: 'editor' | 'told';
}

export interface DebugResult {
  /** `told`: who is asked has no debugger, so the page itself has to say how to run it. */
  readonly started: 'editor' | 'told';
  /** What does the same in a terminal, without a debugger. */
  readonly command: string;
}

/** A line of the user's code that numbers of the run are about. */
export interface CodeLine extends CallSource {
  readonly state: SourceView['state'];
  /** Of the file's content in which it is this line, as `contentFingerprint` makes it; null: it is not known. */
  readonly fingerprint: string | null;
}

/** What the calls of one line of the user's code come to. */
export interface LineView extends CodeLine {
  /** The file as a filter names it. */
  readonly name: string;
  readonly calls: number;
  /** How many episodes made them. */
  readonly episodes: number;
  readonly failed: number;
  /** Means over the calls that did not fail; null: there is none. */
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
  readonly seconds: number | null;
  /** Mean over the episodes that made them and have a reward; null: none has. */
  readonly reward: number | null;
  /** The first of them. */
  readonly first: { readonly episode: number; readonly call: number };
}

/** A tool that models called, where its name is found. */
export interface ToolLineView extends CodeLine {
  readonly tool: string;
  /** How many episodes called it. */
  readonly episodes: number;
  readonly reward: number | null;
}

/** The workflow, or the judge. */
export interface PartLineView extends CodeLine {
  /** Those that it ran in; 0 also in traces of versions that did not keep that. */
  readonly episodes: number;
  /** How many of them it failed in. */
  readonly failed: number;
  /** Mean of the seconds that it took in an episode. */
  readonly seconds: number | null;
  /** Mean over these episodes. */
  readonly reward: number | null;
  readonly successRate: number | null;
}

export interface LinesView {
  /** Whether the run goes on: then nothing is told yet. */
  readonly live: boolean;
  readonly lines: readonly LineView[];
  readonly tools: readonly ToolLineView[];
  /** Null: not known. */
  readonly execute: PartLineView | null;
  readonly judge: PartLineView | null;
}
