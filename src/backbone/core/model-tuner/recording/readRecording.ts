import { recordingFormat } from '../../../../base/core/recordingFormat.ts';
import * as z from 'zod/mini';
import { CodedError } from '../../../../base/core/errors.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { FileReader } from '../../../../base/core/ports.ts';
import { describeIssue } from '../requestSchema.ts';
import type { ChatCompletion, ChatRequest, ModelFailure } from '../model.ts';
import {
  recordingErrors,
  callLine,
  recordingHeader,
  recordingVersion,
  type CallLine,
  type RecordedCall,
  type Recording,
  type RecordingHeader,
} from './format.ts';

/**
 * Reads a recording, line by line. A last line that is cut off, as a killed process leaves one, is left out with a
 * warning.
 *
 * Rejects with `recording/not-found`, `recording/unreadable`, `recording/not-a-recording`, `recording/version` or
 * `recording/broken-line`, each with the line where there is one.
 */
export async function readRecording(
  file: string,
  files: Pick<FileReader, 'exists' | 'lines'>,
  warn: (problem: CodedError) => void,
): Promise<Recording> {
  if (!(await files.exists(file))) {
    const partial = partialName(file);
    throw recordingErrors.notFound(file, (await files.exists(partial)) ? partial : undefined);
  }
  const reader = new Reader(file);
  try {
    for await (const line of files.lines(file)) reader.take(line);
  } catch (error) {
    throw error instanceof CodedError ? error : recordingErrors.unreadable(file, error);
  }
  return reader.end(warn);
}

/** Returns the name of a recording while its run is in progress. */
export function partialName(file: string): string {
  return `${file}.partial`;
}

class Reader {
  readonly #file: string;
  readonly #calls: RecordedCall[] = [];
  readonly #byId = new Map<number, RecordedCall>();
  #header: RecordingHeader | undefined;
  #line = 0;
  /** The last line, if it is not JSON. */
  #torn: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  take(text: string): void {
    this.#line += 1;
    if (text.trim() === '') return;
    if (this.#torn !== undefined) throw recordingErrors.brokenLine(this.#file, this.#torn, 'it is not JSON');
    const value = parseJson(text);
    if (this.#header === undefined) this.#header = this.#readHeader(value);
    else if (value === undefined) this.#torn = this.#line;
    else this.#add(value);
  }

  end(warn: (problem: CodedError) => void): Recording {
    if (this.#header === undefined) throw recordingErrors.notARecording(this.#file, 'it is empty');
    if (this.#torn !== undefined) warn(recordingErrors.tornLine(this.#file, this.#torn));
    return { file: this.#file, header: this.#header, calls: this.#calls };
  }

  #readHeader(value: unknown): RecordingHeader {
    const head = z.looseObject({ format: z.literal(recordingFormat), version: z.number() }).safeParse(value);
    if (!head.success) {
      throw recordingErrors.notARecording(this.#file, 'its first line is not the header of a recording');
    }
    if (head.data.version !== recordingVersion) {
      throw recordingErrors.version(this.#file, head.data.version, recordingVersion);
    }
    const header = recordingHeader.safeParse(value);
    if (header.success) return header.data;
    const { param, problem } = describeIssue(header.error.issues, value);
    throw recordingErrors.notARecording(this.#file, `'${param}' in its first line ${problem}`);
  }

  #add(value: unknown): void {
    const parsed = callLine.safeParse(value);
    if (!parsed.success) {
      const { param, problem } = describeIssue(parsed.error.issues, value);
      throw this.#broken(`'${param}' ${problem}`);
    }
    const line = parsed.data;
    if (this.#byId.has(line.id)) throw this.#broken(`its id ${line.id} belongs to another call`);
    if (line.completion === undefined && line.failure === undefined) {
      throw this.#broken('it has neither a completion nor a failure');
    }
    const call = this.#call(line);
    this.#byId.set(line.id, call);
    this.#calls.push(call);
  }

  #call(line: CallLine): RecordedCall {
    const tools = this.#tools(line);
    const request = { ...line.options, messages: this.#messages(line), ...(tools && { tools }) };
    return {
      episode: {
        task: line.task,
        repeat: line.repeat,
        twin: line.twin ?? 0,
        attempt: line.attempt ?? 0,
      },
      call: line.call,
      agentName: line.agent,
      targetTag: line.target,
      request: request as unknown as ChatRequest,
      startedAt: line.startedAt,
      seconds: line.seconds,
      status: line.status,
      completion: line.completion as unknown as ChatCompletion | undefined,
      failure: line.failure && failureOf(line.failure),
    };
  }

  #messages({ messages: { from, first = 0, then } }: CallLine): readonly unknown[] {
    if (from === undefined) return then;
    const earlier = this.#earlier(from).request.messages;
    if (earlier.length < first) {
      throw this.#broken(`it refers to call ${from}, which has ${earlier.length} messages and not ${first}`);
    }
    return [...earlier.slice(0, first), ...then];
  }

  #tools({ tools }: CallLine): readonly unknown[] | undefined {
    return tools === undefined || Array.isArray(tools) ? tools : this.#earlier(tools.from).request.tools;
  }

  #earlier(id: number): RecordedCall {
    const call = this.#byId.get(id);
    if (call === undefined) throw this.#broken(`it refers to call ${id}, which is not before it`);
    return call;
  }

  #broken(problem: string): CodedError {
    return recordingErrors.brokenLine(this.#file, this.#line, problem);
  }
}

function failureOf({ report, headers, ...rest }: NonNullable<CallLine['failure']>): ModelFailure {
  return { ...rest, ...(headers && { headers }), ...(report && { report: new CodedError(report) }) };
}
