import { CodedError } from '../../base/errors.ts';
import { insideBrackets } from '../../config/code/brackets.ts';
import {
  faultOf,
  hintOfForm,
  readParameters,
  type FunctionForm,
  type Parameters,
} from '../../config/code/functionForm.ts';
import { maskSource } from '../../config/code/maskSource.ts';

export type UserFunction = (...given: never[]) => unknown;

/** A function of the user's that is called with what the names of its parameters ask for. */
export interface CalledByName {
  readonly name: string;
  readonly call: (given: Readonly<Record<string, unknown>>) => unknown;
}

/** Throws `workflow/signature` or `judge/signature`. */
export function calledByName(call: UserFunction, form: FunctionForm): CalledByName {
  const { given, names } = parametersOf(call, form);
  const fault = faultOf(names, form);
  if (fault !== undefined) throw unfit(call, form, fault);
  const free = call as (...values: readonly unknown[]) => unknown;
  const withObject: CalledByName['call'] = (values) =>
    // What is taken apart goes by the names that are written there.
    free({ ...values, auxiliary_models: values['auxiliaryModels'] });
  const oneByOne: CalledByName['call'] = (values) => free(...names.map((name) => values[name]));
  return { name: nameOf(call), call: given === 'object' ? withObject : oneByOne };
}

/** As the function's own text tells them. */
function parametersOf(call: UserFunction, form: FunctionForm): Parameters {
  const code = maskSource(Function.prototype.toString.call(call));
  if (/^class\b/.test(code))
    throw unfit(call, form, `is a class that does not extend \`${bases[form.what]}\``);
  if (/^(?:async\s+)?(?:function\s*)?\*/.test(code)) {
    throw unfit(call, form, 'is a generator, which returns no output when it is called');
  }
  if (/\{\s*\[native code\]\s*\}$/.test(code)) {
    throw unfit(call, form, 'is bound, so that the names of its parameters are not to be seen');
  }
  const bare = /^\s*(?:async\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(code)?.[1];
  return readParameters(bare ?? insideBrackets(code, code.indexOf('(')) ?? '', 'without-angles');
}

/** What CommonJS exports as a whole may have none. */
function nameOf(call: UserFunction): string {
  return call.name === '' ? 'default' : call.name;
}

const bases = { workflow: 'Workflow', judge: 'BaseJudge' };

function unfit(call: UserFunction, form: FunctionForm, fault: string): CodedError {
  return new CodedError({
    code: `${form.what}/signature`,
    message: `The ${form.what} ${nameOf(call)} ${fault}.`,
    hint: `${hintOfForm(form)} Or export a class that extends ${bases[form.what]} of "agentjet".`,
  });
}
