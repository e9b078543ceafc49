// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLTextureFormat {
    /// This format with 16-bit floats in the texture and the same layout in memory. Only formats of
    /// 32-bit floats are changed. OpenGL ES 3.0, table 3.2, guarantees that 16-bit floats can be
    /// filtered.
    package var keptAsHalf: GLTextureFormat {
        guard isFloat, bytesPerChannel == 4,
            let half = GLTextureFormat(
                channelCount: channelCount, bytesPerChannel: 2, isFloat: true)
        else { return self }
        return filled(internalFormat: half.internalFormat)
    }
}

extension GLCapabilities {
    /// Returns the format that is nearest to the given one and that this OpenGL can filter.
    package func filterable(_ format: GLTextureFormat) -> GLTextureFormat {
        features.contains(.filteredFloats) ? format : format.keptAsHalf
    }

    /// Returns the format that is nearest to the given one and that this OpenGL can draw to and
    /// filter.
    package func drawable(_ format: GLTextureFormat) -> GLTextureFormat {
        guard isES else { return format }
        var format = format
        if format == .rgba16, !features.contains(.textures16) { format = .rgba16Float }
        if format == .rgba32Float,
            !features.contains(.floatTargets) || !features.contains(.filteredFloats)
        {
            format = .rgba16Float
        }
        if format == .rgba16Float, !features.contains(.halfFloatTargets) { format = .rgba8 }
        return format
    }
}
