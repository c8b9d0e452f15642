// Source of one file's bytes: asks the hub where they are stored, then requests each range there.
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../errors.ts";
import type { HttpReply } from "../http-reply.ts";
import type { HubConnection } from "../hub-connection.ts";
import { maxRedirects, redirectOf } from "../hub-json.ts";
import { type HubTarget, headerText, replyError } from "../reply-error.ts";
import { resolveUrl } from "../repository.ts";
import { RetryableError } from "../retry.ts";
import type { ByteRange } from "./byte-ranges.ts";

export interface SourceFile extends HubTarget {
  path: string;
  /** As listed by the hub. */
  sizeBytes: number;
}

export interface FileLocation {
  url: string;
  /** ETag of the content, if the server sends one. */
  etag?: string;
  /** True for the hub's own ETag, which is valid for the file storage as well. */
  isHubEtag: boolean;
}

/** The content changed after the download began. */
export class SourceChanged extends Error {}

/** The server ignores ranges and sends the whole file. */
export class RangesIgnored extends Error {}

export class FileSource {
  readonly file: SourceFile;
  readonly #connection: HubConnection;
  #location: Promise<FileLocation> | undefined;

  constructor(connection: HubConnection, file: SourceFile) {
    this.#connection = connection;
    this.file = file;
  }

  /** Asks the hub once for all callers; asks again after `forget`. */
  async locate(signal: AbortSignal): Promise<FileLocation> {
    this.#location ??= this.#locate(signal);
    try {
      return await this.#location;
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** Makes the next request ask the hub again where the file is stored. */
  forget(): void {
    this.#location = undefined;
  }

  /**
   * Requests a range. The reply's body begins at `start`, which is 0 if the server ignores ranges.
   *
   * @param etag the ETag that the content must have
   * @param takesWhole accepts a reply with the whole file
   * @throws SourceChanged, RangesIgnored, ProductError `STORE_HUB_...`
   */
  async open(
    range: ByteRange,
    options: { etag: string | undefined; takesWhole: boolean; signal: AbortSignal },
  ): Promise<{ reply: HttpReply; start: number }> {
    const location = await this.locate(options.signal);
    let { url } = location;
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const reply = await this.#connection.send({
        url,
        headers: { range: `bytes=${range.start}-${range.end - 1}` },
        signal: options.signal,
      });
      try {
        const next = redirectOf(reply);
        if (next === undefined) {
          this.#checkEtag(reply, location, options.etag);
          return { reply, start: this.#firstByte(reply, range, options.takesWhole) };
        }
        url = next;
      } catch (error) {
        reply.abandon();
        throw error;
      }
      reply.abandon();
    }
    throw this.#invalid("too many redirects");
  }

  async #locate(signal: AbortSignal): Promise<FileLocation> {
    let url = resolveUrl(this.#connection.settings.endpoint, this.file);
    let mark = "";
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const reply = await this.#connection.send({ method: "HEAD", url, signal });
      await reply.read(() => undefined);
      mark ||= headerText(reply.headers, "x-linked-etag");
      this.#checkSize(headerText(reply.headers, "x-linked-size"), "it gives the file");
      const next = redirectOf(reply);
      // The file storage's address is signed for GET, so it gets no HEAD.
      if (next !== undefined && !this.#connection.isHub(next)) {
        return { url: next, ...etagOf(mark), isHubEtag: mark !== "" };
      }
      if (next === undefined) {
        if (reply.status !== 200) {
          throw replyError(reply, this.file, this.#connection.settings);
        }
        const own = headerText(reply.headers, "etag");
        return { url, ...etagOf(mark || own), isHubEtag: mark !== "" };
      }
      url = next;
    }
    throw this.#invalid("too many redirects");
  }

  /** Without an ETag of the hub's own, all replies must carry the same one. */
  #checkEtag(reply: HttpReply, location: FileLocation, etag: string | undefined): void {
    if (reply.status !== 200 && reply.status !== 206) return;
    const { etag: found } = location.isHubEtag
      ? location
      : etagOf(headerText(reply.headers, "etag"));
    if (etag !== undefined && found !== undefined && etag !== found) throw new SourceChanged();
  }

  #firstByte(reply: HttpReply, range: ByteRange, takesWhole: boolean): number {
    const { status } = reply;
    if (status === 206) {
      const text = headerText(reply.headers, "content-range");
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
      if (total !== undefined && total !== "*") this.#checkSize(total, "it holds the file as one");
      if (Number(first) !== range.start) {
        throw this.#invalid(`asked for byte ${range.start}, it sends ${JSON.stringify(text)}`);
      }
      return range.start;
    }
    if (status === 200) {
      this.#checkSize(headerText(reply.headers, "content-length"), "it sends the file as one");
      if (takesWhole || (range.start === 0 && range.end === this.file.sizeBytes)) return 0;
      throw new RangesIgnored();
    }
    this.#refuse(reply);
  }

  #refuse(reply: HttpReply): never {
    const isStorage = !this.#connection.isHub(reply.url);
    // Addresses in the file storage are signed for an hour or so: the hub gives a new one.
    if ((isStorage && reply.status < 500 && reply.status !== 429) || reply.status === 416) {
      this.forget();
      throw new RetryableError(storeErrors.hubFailing, {
        message: `${new URL(reply.url).host} refuses ${this.file.path} (status ${reply.status}).`,
        hint: "Try again later; a download resumes.",
      });
    }
    throw replyError(reply, this.file, this.#connection.settings);
  }

  #checkSize(text: string, claim: string): void {
    if (text === "" || Number(text) === this.file.sizeBytes) return;
    throw this.#invalid(`${claim} of ${text} bytes, but lists it with ${this.file.sizeBytes}`);
  }

  #invalid(what: string): ProductError {
    return new ProductError(storeErrors.hubReplyInvalid, {
      message: `The hub's replies about ${this.file.path} contradict each other: ${what}.`,
      hint: "The file may just have been replaced. Run the command again, or check HF_ENDPOINT.",
    });
  }
}

/** Removes the quotes and the prefix of a weak ETag. */
function etagOf(text: string): { etag?: string } {
  const etag = text.replace(/^W\//, "").replaceAll('"', "");
  return etag === "" ? {} : { etag };
}
