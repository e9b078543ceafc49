// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// A data source that decrypts HLS data encrypted with AES-128, cipher block chaining and PKCS #7
/// padding (RFC 8216, section 4.3.2.4).
///
/// FFmpeg's own `crypto:` protocol is not used, because it opens the encrypted file itself.
///
/// - Concurrency: one thread at a time.
final class DecryptingDataSource: MediaDataSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    let byteCount: Int64? = nil
    let isSeekable = false

    private let source: any MediaDataSource
    private let cipher: OpaquePointer
    private var vector: [UInt8]
    /// The offset in the source at which the next read begins.
    private var sourceOffset: Int64
    private var encrypted: [UInt8] = []
    /// The data that has been decrypted but not returned yet.
    private var plain: ArraySlice<UInt8> = []
    private var hasEnded = false

    private static let blockSize = 16
    private static let readSize = 1 << 16

    /// Creates a decrypting source.
    ///
    /// - Parameters:
    ///   - key: The key, which has 16 bytes.
    ///   - vector: The first initialisation vector, which has 16 bytes.
    ///   - start: The offset in the source at which the encrypted data begins.
    init?(_ source: any MediaDataSource, key: [UInt8], vector: [UInt8], from start: Int64) {
        guard key.count == Self.blockSize, vector.count == Self.blockSize,
            let cipher = av_aes_alloc()
        else { return nil }
        self.source = source
        self.cipher = cipher
        self.vector = vector
        sourceOffset = start
        guard av_aes_init(cipher, key, 128, 1) >= 0 else { return nil }
    }

    deinit { av_free(UnsafeMutableRawPointer(cipher)) }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        while plain.isEmpty, !hasEnded { try decryptMore(isCancelled) }
        let part = plain.prefix(buffer.count)
        buffer.copyBytes(from: part)
        plain = plain.dropFirst(part.count)
        return part.count
    }

    /// Reads a block and decrypts all of it, except for the last 16 bytes, which may be padding.
    private func decryptMore(_ isCancelled: () -> Bool) throws(MediaError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { block.deallocate() }
        let count = try source.read(into: block, at: sourceOffset, isCancelled: isCancelled)
        sourceOffset += Int64(count)
        encrypted.append(contentsOf: block.prefix(count))
        hasEnded = count == 0
        let whole = encrypted.count / Self.blockSize
        let blocks = hasEnded ? whole : whole - 1
        guard blocks > 0 else { return }
        var result = [UInt8](repeating: 0, count: blocks * Self.blockSize)
        av_aes_crypt(cipher, &result, encrypted, Int32(blocks), &vector, 1)
        encrypted.removeFirst(result.count)
        if hasEnded, let padding = result.last, (1...Self.blockSize).contains(Int(padding)) {
            result.removeLast(Int(padding))
        }
        plain = result[...]
    }

    /// Returns the bytes of a hexadecimal number, the form in which FFmpeg passes keys; nil if the
    /// text is not a hexadecimal number.
    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
