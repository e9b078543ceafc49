// SPDX-License-Identifier: Apache-2.0

/// The hardware that decodes video.
///
/// Frames that hardware decodes are copied to main memory, and uploaded from there like other
/// frames. The CPU is relieved of decoding but has to copy, so hardware is worthwhile for large
/// frames.
///
/// - Corresponds to: `AVPlayerItem`'s automatic choice; FFmpeg's `-hwaccel`.
public enum HardwareAcceleration: String, Sendable, Hashable, CaseIterable {
    /// No hardware: the CPU decodes.
    case none
    /// Any available hardware.
    case auto
    /// VA-API: graphics processors of Intel and AMD.
    case vaapi
    /// NVDEC: graphics processors of NVIDIA.
    case cuda
}
