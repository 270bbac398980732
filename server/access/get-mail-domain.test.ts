/** Reading email domains from user input. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFreeMail, getMailDomain } from "./get-mail-domain.ts";

test("an address, a name and a web address of one domain are the same domain", () => {
  const entered = [
    "example.com",
    " EXAMPLE.com. ",
    "Ada@Example.com",
    "www.example.com",
    "https://www.example.com/about?x=1",
    "http://example.com:8080",
    "example.com/team",
    '"odd@name"@example.com',
  ];
  for (const text of entered) assert.equal(getMailDomain(text), "example.com", text);
  assert.equal(getMailDomain("mail.example.co.uk"), "mail.example.co.uk");
  assert.equal(getMailDomain("www.de"), "www.de");
  assert.equal(getMailDomain("BÜCHER.example"), "xn--bcher-kva.example");
});

test("input without a domain is refused", () => {
  for (const text of [
    "",
    "@",
    "localhost",
    "10.0.0.1",
    "[::1]",
    "a b.com",
    "-x.com",
    "x..com",
    "http://",
    "com.",
  ]) {
    assert.equal(getMailDomain(text), undefined, text);
  }
  assert.equal(getMailDomain(`${"a.".repeat(130)}com`), undefined);
});

test("free mail providers are recognized with the domains of all countries", () => {
  for (const domain of [
    "gmail.com",
    "yahoo.co.uk",
    "hotmail.fr",
    "outlook.com.br",
    "proton.me",
    "gmx.de",
    "qq.com",
  ]) {
    assert.equal(isFreeMail(domain), true, domain);
  }
  for (const domain of ["example.com", "yahoo-inc.com", "live.example.com", "gmail.acme.dev"]) {
    assert.equal(isFreeMail(domain), false, domain);
  }
});
