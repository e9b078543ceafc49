// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
package import PlayheadAssets

/// The SHA-256 digest of bytes, which is used to compare images.
///
/// - Concurrency: any thread.
/// - Corresponds to: `av_sha_init` and `av_sha_final`; FIPS 180-4.
package enum SHA256 {
    /// Returns the digest as 64 hexadecimal digits.
    ///
    /// - Throws: `outOfResources` if there is not enough memory.
    package static func hexDigest(of bytes: [UInt8]) throws(MediaError) -> String {
        guard let context = av_sha_alloc() else {
            throw MediaError(
                .outOfResources, subject: "sha256", cause: "there is not enough memory")
        }
        defer { av_free(UnsafeMutableRawPointer(context)) }
        var digest = [UInt8](repeating: 0, count: 32)
        av_sha_init(context, 256)
        bytes.withUnsafeBufferPointer { av_sha_update(context, $0.baseAddress, $0.count) }
        av_sha_final(context, &digest)
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
