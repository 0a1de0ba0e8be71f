/** An error whose answer is fixed to the letter, where clients read more of it than a sentence. */
export class AnswerError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: AnswerError["body"], headers: AnswerError["headers"] = {}) {
    super(`answered with ${status}`);
    this.name = "AnswerError";
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
