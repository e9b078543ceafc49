// SPDX-License-Identifier: Apache-2.0

/// Which hardware is asked to decode pictures.
///
/// Pictures decoded by hardware are copied to plain memory, since all that follows takes them from
/// there. That spares the processor the decoding, not the copy, so it pays for large films.
///
/// - Corresponds to: `AVPlayerItem`'s automatic choice; FFmpeg's `-hwaccel`.
public enum HardwareAcceleration: String, Sendable, Hashable, CaseIterable {
    /// None: the processor decodes.
    case none
    /// Whatever is there.
    case auto
    /// VA-API: graphics processors of Intel and AMD.
    case vaapi
    /// NVDEC, on NVIDIA's.
    case cuda
}
