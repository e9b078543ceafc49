// SPDX-License-Identifier: Apache-2.0

/// The hardware that decodes video.
///
/// Frames decoded by hardware are copied to main memory, from which they are uploaded like other
/// frames. The CPU does not decode them but copies them, so hardware is worthwhile for large
/// frames.
///
/// - Corresponds to: `AVPlayerItem`'s automatic choice; FFmpeg's `-hwaccel`.
public enum HardwareAcceleration: String, Sendable, Hashable, CaseIterable {
    /// No hardware: the CPU decodes.
    case none
    /// Any hardware that is available.
    case auto
    /// VA-API: graphics processors of Intel and AMD.
    case vaapi
    /// NVDEC: graphics processors of NVIDIA.
    case cuda
}
