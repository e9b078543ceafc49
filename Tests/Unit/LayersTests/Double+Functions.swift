// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Double {
    var sine: Double { sin(self) }
    var cosine: Double { cos(self) }
    func power(_ exponent: Double) -> Double { pow(max(self, 0), exponent) }
}
