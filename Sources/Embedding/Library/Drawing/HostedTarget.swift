// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers

/// The host's framebuffer, and the rectangle to draw in.
struct HostedTarget {
    var target: RenderTarget
    let rect: LayerRect
    let isWhole: Bool
    let gravity: LayerGravity
    let background: SIMD4<Float>
    let isDrawnIfChanged: Bool
    let hostTime: Int64

    /// The maximum size. No OpenGL driver supports larger viewports.
    private static let largestSide = 32_768
    private static let farthest = 1 << 20

    init(_ target: playhead_target) throws {
        let (width, height) = (Int(target.framebuffer_width), Int(target.framebuffer_height))
        guard (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height)
        else {
            throw CallFailure.argument(
                "framebuffer_width and framebuffer_height must be 1 to \(Self.largestSide), not "
                    + "\(width) and \(height); set them to the framebuffer's size in pixels")
        }
        isWhole = target.width == 0 && target.height == 0
        guard isWhole || (target.width > 0 && target.height > 0),
            target.width <= Self.farthest, target.height <= Self.farthest,
            abs(Int(target.x)) <= Self.farthest, abs(Int(target.y)) <= Self.farthest
        else {
            throw CallFailure.argument(
                "the rectangle must have a positive size and lie within 2^20 pixels, not "
                    + "\(target.width) x \(target.height) at \(target.x), \(target.y)")
        }
        rect =
            isWhole
            ? LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
            : LayerRect(
                x: Double(target.x), y: Double(target.y), width: Double(target.width),
                height: Double(target.height))
        switch Int(target.fit) {
        case PLAYHEAD_FIT_CONTAIN: gravity = .resizeAspect
        case PLAYHEAD_FIT_COVER: gravity = .resizeAspectFill
        case PLAYHEAD_FIT_STRETCH: gravity = .resize
        default: throw CallFailure.argument("fit must be between 0 and 2, not \(target.fit)")
        }
        let flags = Int(target.flags)
        guard flags & ~(PLAYHEAD_TARGET_FLIPPED | PLAYHEAD_TARGET_IF_CHANGED) == 0 else {
            throw CallFailure.argument(
                "flags may contain only PLAYHEAD_TARGET_FLIPPED and "
                    + "PLAYHEAD_TARGET_IF_CHANGED, not "
                    + "\(flags)")
        }
        isDrawnIfChanged = flags & PLAYHEAD_TARGET_IF_CHANGED != 0
        hostTime = try Argument.time(target.host_time, "host_time")
        let color = target.background
        background = SIMD4(color.0, color.1, color.2, color.3)
        guard color.0.isFinite, color.1.isFinite, color.2.isFinite, (0...1).contains(color.3)
        else {
            throw CallFailure.argument(
                "background must be finite, with alpha between 0 and 1, not \(color)")
        }
        var drawn = RenderTarget(
            framebuffer: target.framebuffer, width: width, height: height,
            isTopRowFirst: flags & PLAYHEAD_TARGET_FLIPPED != 0,
            colorSpace: try target.color.space())
        switch target.bit_depth {
        case 0: break
        case -1: drawn.bitDepth = nil
        case 1...16: drawn.bitDepth = Int(target.bit_depth)
        default:
            throw CallFailure.argument(
                "bit_depth must be between -1 and 16, not \(target.bit_depth)")
        }
        self.target = drawn
    }
}

extension playhead_color {
    /// Returns the colour space that the host requests.
    func space() throws -> ColorSpace {
        guard (0...255).contains(primaries), (0...255).contains(transfer),
            peak_luminance >= 0, peak_luminance <= 10_000, matrix == 0
        else {
            throw CallFailure.argument(
                "color: expected code points of H.273 from 0 to 255, matrix 0 and peak_luminance "
                    + "from 0 to 10000 cd/m2, found primaries \(primaries), transfer \(transfer), "
                    + "matrix \(matrix), peak_luminance \(peak_luminance)")
        }
        let transfer = ColorAttachments.Transfer(
            rawValue: self.transfer == 0 ? 1 : UInt8(self.transfer))
        let known: [ColorAttachments.Transfer] = [
            .bt709, .gamma22, .gamma28, .bt601, .linear, .sRGB, .bt2020TenBit, .bt2020TwelveBit,
            .pq, .hlg,
        ]
        let primaries = ColorAttachments.Primaries(
            rawValue: self.primaries == 0 ? 1 : UInt8(self.primaries))
        let gamuts: [ColorAttachments.Primaries] = [
            .bt709, .bt470bg, .smpte170m, .bt2020, .dciP3, .displayP3,
        ]
        guard known.contains(transfer), gamuts.contains(primaries) else {
            throw CallFailure(
                PLAYHEAD_UNSUPPORTED,
                "color: primaries \(primaries.rawValue) with transfer \(transfer.rawValue) is not "
                    + "supported; use those of BT.709, sRGB, P3, BT.2020, PQ, HLG or linear light")
        }
        let standard: Double? =
            transfer == .linear || transfer == .pq
            ? nil : transfer == .hlg ? 1000 : ColorSpace.referenceWhite
        return ColorSpace(
            primaries: primaries, transfer: transfer,
            peakLuminance: peak_luminance > 0 ? Double(peak_luminance) : standard)
    }

    /// Creates the description of a frame's colour space.
    init(_ color: ColorAttachments, peakLuminance: Double?) {
        self.init(
            primaries: Int32(color.primaries.rawValue), transfer: Int32(color.transfer.rawValue),
            peak_luminance: Float(peakLuminance ?? 0), matrix: Int32(color.matrix.rawValue))
    }

    init(_ space: ColorSpace) {
        self.init(
            primaries: Int32(space.primaries.rawValue), transfer: Int32(space.transfer.rawValue),
            peak_luminance: Float(space.peakLuminance ?? 0), matrix: 0)
    }
}
