// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadTextures

extension VideoRenderer {
    /// A description of the colour conversion of the first visible video: its samples, the
    /// conversion, and the target's values.
    var colorPath: String {
        guard let target = lastTarget, let source = firstSource(lastScene?.layers ?? []),
            let picture = picture(of: source)
        else { return "" }
        let (format, color, attachments) = picture.meaning
        var words = [
            "\(format.name)", "\(color.matrix.name ?? "unknown") matrix",
            color.range == .full ? "full range" : "limited range",
            "\(color.primaries.name ?? "unknown")/\(color.transfer.name ?? "unknown")",
        ]
        if format.model != .yCbCr { words.removeSubrange(1...2) }
        let transform = ColorTransform(
            from: color, peakLuminance: attachments.peakLuminance, to: target.colorSpace)
        var path = words.joined(separator: " ")
        if transform.isIdentity {
            path += ", numbers kept"
        } else if transform.toneMapping != nil {
            path += ", tone mapped (BT.2390)"
        } else {
            path += ", converted in light"
        }
        let space = target.colorSpace
        path += " to \(space.primaries.name ?? "unknown")/\(space.transfer.name ?? "unknown")"
        let isConvertedByCPU =
            picture.isInMemory && target.bitDepth == 8 && PictureConverter.canApply(transform)
        switch target.bitDepth {
        case nil: path += " floats"
        case .some(let depth):
            path += " \(depth) bits"
            if format.isFloat || format.bitDepth > depth {
                path += ", dithered"
            }
        }
        return path + (isConvertedByCPU ? ", on the CPU" : ", by a shader")
    }

    private func firstSource(_ layers: [Layer]) -> (any PixelBufferSource)? {
        for layer in layers where !layer.isHidden {
            if case .video(let source) = layer.content { return source }
            if let source = firstSource(layer.sublayers) { return source }
        }
        return nil
    }
}

extension LayerPicture {
    /// The format and attachments of the samples, none of them unspecified.
    fileprivate var meaning: (PixelFormat, ColorAttachments, PixelBufferAttachments) {
        switch self {
        case .textures(let picture): (picture.format, picture.color, picture.attachments)
        case .buffer(let buffer): (buffer.format, buffer.color, buffer.attachments)
        }
    }

    fileprivate var isInMemory: Bool {
        if case .buffer = self { true } else { false }
    }
}
