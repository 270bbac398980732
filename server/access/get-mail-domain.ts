/** Reads an email domain from user input and recognizes free mail providers. Pure. */
import { domainToASCII } from "node:url";

/** Reads `Ada@Example.com`, `https://www.example.com/about` and `EXAMPLE.com.` as `example.com`; undefined without a domain. */
export function getMailDomain(entered: string): string | undefined {
  const text = entered.trim();
  const host = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? URL.parse(text)?.hostname
    : text.slice(text.lastIndexOf("@") + 1).split(/[/?#:]/)[0];
  const domain = domainToASCII(host ?? "")
    .replace(/\.$/, "")
    .replace(/^www\.(?=[^.]+\.)/, "");
  return DOMAIN.test(domain) && domain.length <= 253 ? domain : undefined;
}

/** Labels separated by dots. The last one is not numeric, so IP addresses do not match. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Returns whether anyone can get an address there, so that the domain does not identify an employer. */
export function isFreeMail(domain: string): boolean {
  const [name = ""] = domain.split(".");
  return FREE_MAIL.has(domain) || (FREE_NAMES.has(name) && /^[a-z]+(?:\.com?)?\.[a-z]{2,3}$/.test(domain));
}

/** These have domains in many countries: yahoo.co.uk, hotmail.fr, outlook.com.br. */
const FREE_NAMES = new Set(["gmail", "googlemail", "hotmail", "live", "msn", "outlook", "yahoo", "ymail"]);

/**
 * The largest providers of private and temporary addresses. The list cannot be complete: the packages that collect such
 * domains download a changing list at installation. A missing domain does little harm, because a claimed domain only lets
 * people join an organisation that they ask to join.
 */
const FREE_MAIL = new Set(
  `163.com 126.com 10minutemail.com aol.com bellsouth.net bigpond.com bluewin.ch btinternet.com charter.net comcast.net
  cox.net daum.net disroot.org duck.com earthlink.net email.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de
  gmx.at gmx.ch gmx.com gmx.de gmx.net guerrillamail.com hanmail.net hey.com hushmail.com icloud.com inbox.com inbox.ru
  interia.pl juno.com kpnmail.nl laposte.net libero.it list.ru mac.com mail.com mail.ee mail.ru mailbox.org
  mailinator.com me.com mozmail.com naver.com o2.pl onet.pl optonline.net optusnet.com.au orange.fr outlook.com
  passport.com pm.me posteo.de privaterelay.appleid.com proton.me protonmail.ch protonmail.com qq.com rambler.ru
  rediffmail.com rocketmail.com rogers.com sapo.pt sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com skynet.be sky.com
  sympatico.ca t-online.de talktalk.net telenet.be temp-mail.org terra.com.br tiscali.it tuta.com tutamail.com
  tutanota.com tutanota.de ukr.net uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl
  xtra.co.nz ya.ru yandex.com yandex.ru yeah.net yopmail.com zoho.com zohomail.com`.split(/\s+/),
);
