// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The address of a document, to which the references in it are resolved.
///
/// References are URLs in both kinds of documents, so those in a file are percent-decoded.
///
/// - Concurrency: a value.
struct ReferenceBase: Hashable {
    /// An HTTP address, or a path with the prefix `file:`.
    let address: String

    /// Resolves a reference. The result may have any scheme; opening it is subject to the rules.
    func resolving(_ reference: String) -> ReferenceBase {
        if reference.isEmpty { return self }
        if let base = HTTPAddress(address) {
            return ReferenceBase(address: base.resolving(reference))
        }
        if HTTPAddress(reference) != nil { return ReferenceBase(address: reference) }
        let file = "file:"
        guard address.hasPrefix(file) else { return ReferenceBase(address: reference) }
        if HTTPAddress.hasScheme(reference) {
            // The path of file:///path has no host.
            guard reference.hasPrefix(file) else { return ReferenceBase(address: reference) }
            let path = reference.dropFirst(file.count)
            return ReferenceBase(
                address: file + Self.decoded(path.hasPrefix("//") ? path.dropFirst(2) : path))
        }
        let path = Self.decoded(reference[...])
        if path.hasPrefix("/") { return ReferenceBase(address: file + path) }
        let folder = address[...(address.lastIndex(of: "/") ?? address.startIndex)]
        return ReferenceBase(address: folder + path)
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
    }
}
