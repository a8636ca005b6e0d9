/** A value that has been written out as JSON, to be answered more than once. */
export class SerializedJson<Value> {
  /** In UTF-8. */
  readonly bytes: Buffer;

  constructor(value: Value) {
    this.bytes = Buffer.from(JSON.stringify(value));
  }
}
