import { isLoopback } from "../support/hostNames";

/** A problem's description shows no part of the text that may be a secret, such as a password. */
export function parseBaseUrl(text: string): URL | { problem: string } {
  if (!URL.canParse(text)) {
    return { problem: "is not a URL such as https://api.example.com" };
  }
  const url = new URL(text);
  // The next three checks read the text, because `URL` silently drops some invalid characters, and an empty user, query
  // or fragment.
  if (/^[^/\\]*[/\\]*[^/\\?#]*@/.test(text)) {
    return { problem: "must not contain a user name or a password" };
  }
  if (/[?#]/.test(text)) {
    return { problem: "must not contain a query or a fragment" };
  }
  if (/[\s\\]/.test(text)) {
    return { problem: "must not contain a blank or a backslash" };
  }
  const [versioned, beforeVersion] = /^(.*)\/v[12]\/*$/.exec(url.pathname) ?? [];
  if (versioned !== undefined) {
    return {
      problem: `must not end in the API's version, which each request adds: use ${url.origin}${beforeVersion}`,
    };
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
    return url;
  }
  return {
    problem: "must use https (plain http is allowed only for a loopback address, because it sends the key unencrypted)",
  };
}
