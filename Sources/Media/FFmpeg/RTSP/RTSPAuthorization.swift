// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The proof that a client knows a user's password: Basic (RFC 7617), or Digest with MD5 (RFC
/// 7616), which does not reveal the password.
struct RTSPAuthorization {
    private enum Scheme {
        case basic
        case digest(realm: String, nonce: String, opaque: String?, hasQuality: Bool)
    }

    private let scheme: Scheme
    private let user: String
    private let password: String
    /// The number of requests with the nonce so far.
    private var count = 0

    /// Creates a proof that answers the challenges of a server. Digest is preferred. Fails if the
    /// server demands something else.
    init?(challenges: [String], user: String, password: String) {
        (self.user, self.password) = (user, password)
        for challenge in challenges where challenge.lowercased().hasPrefix("digest ") {
            let values = Self.parameters(challenge.dropFirst("digest ".count))
            let algorithm = values["algorithm"]?.lowercased() ?? "md5"
            guard let realm = values["realm"], let nonce = values["nonce"], algorithm == "md5"
            else { continue }
            let qualities = values["qop"]?.split(separator: ",").map {
                $0.filter { $0 != " " }.lowercased()
            }
            guard qualities?.contains("auth") != false else { continue }
            scheme = .digest(
                realm: realm, nonce: nonce, opaque: values["opaque"],
                hasQuality: qualities != nil)
            return
        }
        guard challenges.contains(where: { $0.lowercased().hasPrefix("basic") }) else {
            return nil
        }
        scheme = .basic
    }

    /// Returns the value of the field `Authorization` of a request.
    ///
    /// - Parameter clientNonce: A random number in hexadecimal digits.
    mutating func value(method: String, url: String, clientNonce: String) -> String {
        switch scheme {
        case .basic:
            return "Basic " + Base64.encoded(Array("\(user):\(password)".utf8))
        case .digest(let realm, let nonce, let opaque, let hasQuality):
            count += 1
            let secret = Self.md5("\(user):\(realm):\(password)")
            let request = Self.md5("\(method):\(url)")
            var text =
                "Digest username=\"\(user)\", realm=\"\(realm)\", nonce=\"\(nonce)\", "
                + "uri=\"\(url)\""
            if hasQuality {
                let digits = String(count, radix: 16)
                let number = String(repeating: "0", count: max(8 - digits.count, 0)) + digits
                let proof = Self.md5(
                    "\(secret):\(nonce):\(number):\(clientNonce):auth:\(request)")
                text +=
                    ", qop=auth, nc=\(number), cnonce=\"\(clientNonce)\", response=\"\(proof)\""
            } else {
                text += ", response=\"\(Self.md5("\(secret):\(nonce):\(request)"))\""
            }
            return text + (opaque.map { ", opaque=\"\($0)\"" } ?? "")
        }
    }

    /// Returns the parameters of a challenge, `name=value` or `name="value"`, by their names in
    /// lower case.
    private static func parameters(_ text: Substring) -> [String: String] {
        var values: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].filter { $0 != " " && $0 != "," }.lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " }
            if rest.hasPrefix("\"") {
                let value = rest.dropFirst().prefix { $0 != "\"" }
                values[name] = String(value)
                rest = rest[value.endIndex...].dropFirst()
            } else {
                let value = rest.prefix { $0 != "," }
                values[name] = String(value.filter { $0 != " " })
                rest = rest[value.endIndex...]
            }
        }
        return values
    }

    private static func md5(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 16)
        av_md5_sum(&digest, bytes, bytes.count)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
