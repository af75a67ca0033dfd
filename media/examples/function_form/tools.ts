/** What the model is told about the tool: its name, what it does, and a JSON schema of its arguments. */
export const calculateTool = {
  type: 'function' as const,
  function: {
    name: 'calculate',
    description: 'Evaluates an arithmetic expression and returns its value.',
    parameters: {
      type: 'object',
      properties: {
        expression: {
          type: 'string',
          description: 'Numbers, + - * / and parentheses, e.g. (12 + 8) * 3',
        },
      },
      required: ['expression'],
      additionalProperties: false,
    },
  },
};

/** Runs one call of the tool. A model may send anything, so what it did wrong comes back as text it can read. */
export function runCalculate({ expression }: Readonly<Record<string, unknown>>): string {
  try {
    if (typeof expression !== 'string') throw new Error('the argument "expression" must be a string');
    return String(evaluate(expression));
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The value of an arithmetic expression, rounded to 12 significant digits: 0.1 + 0.2 is 0.3. Throws on anything else. */
function evaluate(expression: string): number {
  const tokens = tokenize(expression);
  let position = 0;

  // sum := product (("+" | "-") product)*
  function sum(): number {
    let value = product();
    while (tokens[position] === '+' || tokens[position] === '-') {
      value = tokens[position++] === '+' ? value + product() : value - product();
    }
    return value;
  }

  // product := factor (("*" | "/") factor)*
  function product(): number {
    let value = factor();
    while (tokens[position] === '*' || tokens[position] === '/') {
      value = tokens[position++] === '*' ? value * factor() : value / factor();
    }
    return value;
  }

  // factor := ("+" | "-") factor | "(" sum ")" | number
  function factor(): number {
    const token = tokens[position++];
    if (token === undefined) throw new Error('the expression ends too early');
    if (token === '-') return -factor();
    if (token === '+') return factor();
    if (token === '(') {
      const value = sum();
      if (tokens[position++] !== ')') throw new Error('a closing parenthesis is missing');
      return value;
    }
    const value = Number(token);
    if (Number.isNaN(value)) throw new Error(`"${token}" is not expected here`);
    return value;
  }

  const value = sum();
  if (position < tokens.length) throw new Error(`"${String(tokens[position])}" is not expected here`);
  if (!Number.isFinite(value)) throw new Error('the result is not a finite number');
  return Number(value.toPrecision(12));
}

function tokenize(expression: string): string[] {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S/g);
  if (tokens === null) throw new Error('the expression is empty');
  return tokens;
}
