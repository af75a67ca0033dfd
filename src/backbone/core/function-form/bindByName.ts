import { CodedError } from '../../../base/core/errors.ts';
import {
  faultOf,
  hintOfForm,
  parametersOf,
  type FunctionForm,
  type Parameters,
} from '../../../configs/core/code/functionForm.ts';
import {
  nodesNamed,
  parseScript,
  type ParsedText,
  type SyntaxNode,
} from '../../../configs/core/code/syntaxTree.ts';

export type UserFunction = (...given: never[]) => unknown;

export interface NamedFunction {
  readonly name: string;
  readonly call: (given: Readonly<Record<string, unknown>>) => unknown;
}

/** Wraps a user function. Throws `workflow/signature` or `judge/signature` if its parameters do not fit. */
export function bindByName(call: UserFunction, form: FunctionForm): NamedFunction {
  const { form: shape, names } = readParameters(call, form);
  const fault = faultOf(names, form);
  if (fault !== undefined) throw unfit(call, form, fault);
  const free = call as (...values: readonly unknown[]) => unknown;
  const withObject: NamedFunction['call'] = (values) =>
    // A destructured object may use either spelling.
    free({ ...values, auxiliary_models: values['auxiliaryModels'] });
  const oneByOne: NamedFunction['call'] = (values) => free(...names.map((name) => values[name]));
  return { name: nameOf(call), call: shape === 'object' ? withObject : oneByOne };
}

function readParameters(call: UserFunction, form: FunctionForm): Parameters {
  const source = Function.prototype.toString.call(call);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) {
    throw unfit(call, form, 'is a bound function, so the names of its parameters are hidden');
  }
  const { text, node } = parseFunction(source);
  if (node?.name === 'ClassExpression') {
    throw unfit(call, form, `is a class that does not extend \`${bases[form.what]}\``);
  }
  if (node?.getChild('Star')) {
    throw unfit(call, form, 'is a generator function, so a call returns no output');
  }
  const list = node?.getChild('ParamList');
  return list ? parametersOf(list, text) : { form: 'each', names: [] };
}

const functions = ['ArrowFunction', 'FunctionExpression', 'ClassExpression', 'Property'];

/** Parses the text of a function or class, or that of a method, which is valid only in an object. */
function parseFunction(source: string): { readonly text: string; readonly node: SyntaxNode | undefined } {
  const parsed: ParsedText = parseScript(`(${source})`);
  const [node] = nodesNamed(parsed, ...functions);
  if (node?.from === 1) return { text: parsed.text, node };
  const method = parseScript(`({${source}})`);
  return { text: method.text, node: nodesNamed(method, 'Property')[0] };
}

/** A function that CommonJS exports as a whole may have no name. */
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
