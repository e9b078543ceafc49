// SPDX-License-Identifier: Apache-2.0

/// The matrix in the header of an MP4 file's first track, which rotates and mirrors the track.
/// Versions of ffmpeg differ in the option that sets it.
package enum TrackMatrix {
    /// Returns a file with another matrix; nil if it is not an MP4 file.
    ///
    /// - Parameter matrix: The values a, b, c and d.
    package static func set(_ matrix: [Int32], in file: [UInt8]) -> [UInt8]? {
        let name = Array("tkhd".utf8)
        guard let start = file.indices.first(where: { file[$0...].starts(with: name) }) else {
            return nil
        }
        var file = file
        // ISO/IEC 14496-12, 8.3.2: the matrix of version 0, in rows of a, b, u and c, d, v, whose
        // first two numbers are 16.16.
        for (place, part) in zip([0, 1, 3, 4], matrix) {
            withUnsafeBytes(of: (part << 16).bigEndian) { part in
                for index in 0..<4 { file[start + 44 + place * 4 + index] = part[index] }
            }
        }
        return file
    }
}
