// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

extension WindowSystemChoice: ExpressibleByArgument {}
