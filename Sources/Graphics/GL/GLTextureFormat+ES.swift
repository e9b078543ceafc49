// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLTextureFormat {
    /// The same filled from the same memory, kept as floats of 16 bits; itself where that is no float of
    /// 32 bits. OpenGL ES 3.0, table 3.2, has it filtered everywhere.
    package var keptAsHalf: GLTextureFormat {
        guard isFloat, bytesPerChannel == 4,
            let half = GLTextureFormat(
                channelCount: channelCount, bytesPerChannel: 2, isFloat: true)
        else { return self }
        return filled(internalFormat: half.internalFormat)
    }
}

extension GLCapabilities {
    /// What comes nearest to a format among those that can be filtered here.
    package func filterable(_ format: GLTextureFormat) -> GLTextureFormat {
        features.contains(.filteredFloats) ? format : format.keptAsHalf
    }

    /// What comes nearest to a format among those that can be drawn to and filtered here.
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
